declare const isExpression: unique symbol;

/** A JSONata expression in the making, as `t.expression` makes it. References in it represent values, never text. */
export interface Expression {
  readonly [isExpression]: true;
}

declare const isComputed: unique symbol;

/** Arguments that a JSONata expression makes when the task starts (`convertor_code`), as `t.computed` makes them. */
export interface Computed {
  readonly [isComputed]: true;
}

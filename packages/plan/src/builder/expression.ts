declare const isExpression: unique symbol;

/** A JSONata expression in the making, as `t.expression` makes it. References in it represent values, never text. */
export interface Expression {
  readonly [isExpression]: true;
}

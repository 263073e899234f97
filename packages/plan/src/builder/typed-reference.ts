/** Where the types keep what a reference represents. Nothing has this property at run time. */
declare const referredValue: unique symbol;
/** Where the types keep that a reference is the whole output of a task. Nothing has this property at run time. */
declare const isTask: unique symbol;

/**
 * Represents a value that is known when the plan runs. It is written where an argument is expected; it has no value while the plan is
 * being defined, so it cannot be compared, printed or iterated.
 */
export interface Reference<out Value> {
  readonly [referredValue]: Value;
}

/**
 * A reference with a way to the parts of its value: the fields of an object as properties, `items()` and `at(index)` of a list. The parts
 * of a value that may be absent may be absent, too: their type has `undefined` (see `optional` and `present` of the builder).
 */
export type Ref<Value> = Reference<Value> & Parts<Value>;

/** A task of the plan, as a reference to its output. */
export type TaskRef<Output> = Ref<Output> & { readonly [isTask]: true };

/** The value that a reference represents. */
export type ValueOf<R> = R extends Reference<infer Value> ? Value : never;

/** The value of what is written with references in it. */
export type Resolved<Written> =
  Written extends Reference<infer Value>
    ? Value
    : Written extends string | number | boolean | null | undefined
      ? Written
      : Written extends readonly (infer Item)[]
        ? IsTuple<Written> extends true
          ? { [Place in keyof Written]: Resolved<Written[Place]> }
          : Resolved<Item>[]
        : Written extends object
          ? { [Key in keyof Written]: Resolved<Written[Key]> }
          : Written;

/** Whether a list has a known length. */
export type IsTuple<List extends readonly unknown[]> = number extends List["length"] ? false : true;

/** An element of a list: of one that is referred to, or of one that is written with references in it. */
export type ElementOf<List> =
  List extends Reference<infer Value> ? (Value extends readonly (infer Item)[] ? Item : never) : Resolved<ItemIn<List>>;
type ItemIn<List> = List extends readonly (infer Item)[] ? Item : never;

type Parts<Value> = unknown extends Value
  ? unknown
  : PartsOf<NonNullable<Value>, Extract<Value, null | undefined> extends never ? never : undefined>;

type PartsOf<Value, Missing> = Value extends readonly (infer Item)[]
  ? ListParts<Value, Item, Missing>
  : Value extends object
    ? string extends keyof Value
      ? { at(key: string): Ref<Value[keyof Value] | undefined> }
      : { readonly [Key in keyof Value & string]-?: Ref<Value[Key] | Missing> }
    : unknown;

interface ListParts<List extends readonly unknown[], Item, Missing> {
  /** Every element: `list.items().name` is the list of their names, `list.items()` the list itself. */
  items(): Items<Item, Missing, [1]>;
  /** The element at a place, counted from 0; it may be absent, but for those that a tuple has. */
  at<const Place extends number>(index: Place): Ref<ItemAt<List, Item, Place> | Missing>;
}
type ItemAt<List extends readonly unknown[], Item, Place extends number> =
  IsTuple<List> extends true ? List[Place] : Item | undefined;

/** A part of every element of a list, or of the lists in a list. */
export type Items<Item, Missing = never, Depth extends readonly 1[] = [1]> = Reference<ListOf<Item, Depth> | Missing> &
  (unknown extends Item ? unknown : PartsOfItems<Item, Missing, Depth>);

type PartsOfItems<Item, Missing, Depth extends readonly 1[]> = Item extends readonly (infer Inner)[]
  ? { items(): Items<Inner, Missing, [...Depth, 1]> }
  : Item extends object
    ? string extends keyof Item
      ? unknown
      : { readonly [Key in keyof Item & string]-?: Items<Item[Key], Missing, Depth> }
    : unknown;

type ListOf<Item, Depth extends readonly 1[]> = Depth extends readonly [1, ...infer Rest extends readonly 1[]]
  ? ListOf<Item[], Rest>
  : Item;

/**
 * What may be written where a value of a type is expected: the value, a reference to one, or an object or list with references in it.
 * An argument that may be left out is left out; `undefined` is not one.
 */
export type Arguments<Value> = Reference<Value> | Written<Value>;

type Written<Value> = unknown extends Value
  ? unknown
  : Value extends string | number | boolean | null
    ? Value
    : Value extends readonly (infer Item)[]
      ? IsTuple<Value> extends true
        ? { readonly [Place in keyof Value]: Arguments<Value[Place]> }
        : readonly Arguments<Item>[]
      : Value extends Date | bigint | symbol | ((...given: never) => unknown)
        ? never
        : Value extends object
          ? { readonly [Key in keyof Value]: Arguments<Exclude<Value[Key], undefined>> }
          : never;

import type { Computed, Expression } from "./expression.ts";
import type { JsonSchemaValue } from "./json-schema-value.ts";
import type { ChooseOptions, EachOptions, TaskOptions, WaitFor, WaitOptions } from "./task-options.ts";
import type { Arguments, ElementOf, Ref, Reference, Resolved, TaskRef, ValueOf } from "./typed-reference.ts";
import type { Callable, IdOf, InputOf, OutputOf } from "./typed-resource.ts";

/** What can be called in a plan, and what else it has. */
export interface PlanParts {
  readonly tools?: readonly Callable[];
  readonly agents?: readonly Callable[];
  readonly llms?: readonly Callable[];
  readonly workflows?: readonly Callable[];
  /** The id of the plan. @default `plan-` and a digest of what it does */
  readonly id?: string;
  readonly title?: string;
  /** Values that a run may override by name; `t.variables` refers to them. */
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Each<List> = List extends readonly (infer Item)[] ? Item : never;
/** Everything that a plan with these parts can call. */
export type CallableOf<Parts extends PlanParts> =
  | Each<Parts["tools"]>
  | Each<Parts["agents"]>
  | Each<Parts["llms"]>
  | Each<Parts["workflows"]>;

type Chosen<All, Key> = Key extends string
  ? All extends unknown
    ? Key extends IdOf<All>
      ? All
      : never
    : never
  : Key;

/** What an option is set to; `never` where it is left out. */
type Option<Options, Name extends string> = Name extends keyof Options ? Exclude<Options[Name], undefined> : never;

/** `undefined` where a task may be skipped: it has a condition, or comes after a task that has one. */
type MayBeSkipped<Options> =
  | ([Option<Options, "when">] extends [never] ? never : undefined)
  | ("none_failed" extends Option<Options, "join"> ? never : Extract<Before<Options>, undefined>);
type Before<Options> = Option<Options, "after"> extends readonly (infer Task)[] ? ValueOf<Task> : never;

/** What a call gives that is repeated until a condition holds: something else, perhaps, once the deadline has passed. */
type Repeated<Options> = AtDeadline<Option<Options, "retry_until">>;

/** What a decision gives: the name of the branch, and for each branch whether it is the one. */
export type Decision<Branch extends string> = { chosen: Branch } & { [Name in Branch]: boolean };

/** What a wait gives: the data of the signal, or the time. */
type WaitOutput<W> = W extends { readonly event: unknown }
  ? (W extends { readonly schema: infer Schema } ? JsonSchemaValue<Schema> : unknown) | AtDeadline<W>
  : { waited_until: string };
/** What a task gives where its deadline has passed; `undefined` where it is skipped then. */
type AtDeadline<W> = DeadlineValue<Option<W, "on_deadline">>;
type DeadlineValue<Deadline> = Deadline extends { readonly value: infer Value }
  ? Resolved<Value>
  : Deadline extends "skip"
    ? undefined
    : never;

/** The arguments of a call may be left out where the resource needs none. */
type CallRest<Input, Options> =
  Record<never, never> extends Input
    ? [input?: Arguments<Input> | Computed, options?: Options]
    : [input: Arguments<Input> | Computed, options?: Options];

/** What is in the place of an element in the result. */
type ElementOutput<Output, Options> =
  | Exclude<Output, undefined>
  | (undefined extends Output ? Failed<Options> : never)
  | ([Exclude<Option<Options, "on_failure">, "all">] extends [never] ? never : Failed<Options>);
type Failed<Options> = "failed_as" extends keyof Options ? FailedAs<Options["failed_as"]> : null;
type FailedAs<Form> = Form extends "error" ? { error: { code: string; message: string } } : null;

/** The values of plan variables: a run may give others of the same type. */
type Widened<Value> = Value extends string
  ? string
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value extends object
        ? { -readonly [Key in keyof Value]: Widened<Value[Key]> }
        : Value;

/** Makes the tasks of a plan. Every method gives something that represents a value which is known when the plan runs. */
export interface PlanBuilder<Parts extends PlanParts = PlanParts> {
  /**
   * A task that calls a resource. Arguments that refer to other tasks make it wait for them.
   * @param resource its definition, or its id
   * @returns represents the output
   * @throws PlanError INVALID for a resource that the plan does not have
   */
  // The ids come first, and as a union without a name of its own, so that the compiler's messages list them.
  call<
    const Key extends (IdOf<CallableOf<Parts>> & string) | CallableOf<Parts>,
    const Options extends TaskOptions = Record<never, never>,
  >(
    resource: Key,
    ...rest: CallRest<InputOf<Chosen<CallableOf<Parts>, Key>>, Options>
  ): TaskRef<OutputOf<Chosen<CallableOf<Parts>, Key>> | Repeated<Options> | MayBeSkipped<Options>>;

  /**
   * A decision between branches, by conditions that are asked in order until one is true. Tasks of a branch name it in `when`:
   * `t.call(pay, { … }, { when: route.refund })`.
   * @param branches conditions by the names of the branches
   */
  choose<
    const Branches extends Readonly<Record<string, Expression | Reference<boolean>>>,
    const Else extends string = never,
    const Options extends ChooseOptions<Else> = Record<never, never>,
  >(
    branches: Branches,
    options?: Options & { readonly else?: Else },
  ): TaskRef<Decision<(keyof Branches & string) | Else> | MayBeSkipped<Options>>;

  /**
   * A task that does something for each element of a list (`for_each`).
   * @param list a reference to a list, or a list that may hold references
   * @param each is called once, while the plan is being defined. It makes the tasks of one element and returns the one whose output is the element's.
   * @returns represents the list of the elements' outputs
   */
  each<
    List extends Reference<readonly unknown[]> | readonly unknown[],
    Output extends TaskRef<unknown>,
    const Options extends EachOptions = Record<never, never>,
  >(
    list: List,
    each: (item: Ref<ElementOf<List>>, index: Ref<number>) => Output,
    options?: Options,
  ): TaskRef<ElementOutput<ValueOf<Output>, Options>[] | MayBeSkipped<Options>>;

  /**
   * A decision between branches by the answer of a function, a model or an agent, which names one of them.
   * @param branches when each branch is the right one, by its name
   */
  decide<
    const Key extends (IdOf<CallableOf<Parts>> & string) | CallableOf<Parts>,
    const Branches extends Readonly<Record<string, string>>,
    const Else extends string = never,
    const Options extends TaskOptions = Record<never, never>,
  >(
    resource: Key,
    input: Arguments<InputOf<Chosen<CallableOf<Parts>, Key>>> | Computed,
    branches: Branches,
    options?: Options & { readonly else?: Else },
  ): TaskRef<
    | (Decision<(keyof Branches & string) | Else> & { answer: OutputOf<Chosen<CallableOf<Parts>, Key>> })
    | MayBeSkipped<Options>
  >;

  /**
   * A task that waits for a time (`for_ms`, `until`) or a signal (`event`); no process need run meanwhile.
   * @returns represents `{ waited_until }`, or the data of the signal, typed by `schema`
   */
  wait<const W extends WaitFor, const Options extends WaitOptions = Record<never, never>>(
    wait: W,
    options?: Options,
  ): TaskRef<WaitOutput<W> | MayBeSkipped<Options>>;

  /** A text with references in it. What they represent becomes text; what they hold is never read again. */
  text(
    parts: TemplateStringsArray,
    ...values: readonly (Reference<unknown> | string | number | boolean)[]
  ): Ref<string>;

  /**
   * A JSONata expression for `when`. References represent their values, other values become literals:
   * t.expression`${list.total} > ${10}`.
   */
  expression(parts: TemplateStringsArray, ...values: readonly unknown[]): Expression;

  /**
   * All arguments of a call, by a JSONata expression that gives an object (`convertor_code`): references represent their values, other values
   * become literals, as in `expression`. What comes out is held against the resource's schema when the task starts; the compiler knows nothing of it.
   */
  computed(parts: TemplateStringsArray, ...values: readonly unknown[]): Computed;

  /** Null where the value is absent (`?`); for a task with `join`, also where another task was skipped. */
  optional<Value>(reference: Reference<Value>): Reference<Exclude<Value, undefined> | null>;

  /** The same value, of which you know that it is there. Where it is absent after all the task fails, or is skipped with the task it needs. */
  present<Value>(reference: Reference<Value>): Ref<Exclude<Value, undefined>>;

  /** The same value with a type that you know. Nothing is checked: for outputs whose schema does not say. */
  assume<Value>(reference: Reference<unknown>): Ref<Value>;

  /** A secret by its name, for an argument of a tool: it is filled in for the call alone. */
  secret(name: string): Reference<string>;

  /** The plan's variables, each as it is or as the run gives it. */
  readonly variables: {
    readonly [Name in keyof Parts["variables"]]-?: Ref<Widened<Parts["variables"][Name]>>;
  };

  /** What a run of the plan is called with (`input`). The type is your word: nothing checks it. */
  input<Input = Record<string, unknown>>(): Ref<Input>;
}

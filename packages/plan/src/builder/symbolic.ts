import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PathSegment } from "../references/reference.ts";
import type { DraftTask } from "./draft-task.ts";

/** What a reference begins with. Names are given when the whole plan is known, so a target is not a name yet. */
export type Target =
  | { readonly kind: "task"; readonly task: DraftTask }
  | { readonly kind: "item" | "index"; readonly list: DraftTask }
  | { readonly kind: "name"; readonly name: string };

/** What something that the builder made represents: a reference, a text or expression with references in it, or a secret. */
export type Symbolic =
  | {
      readonly kind: "reference";
      readonly target: Target;
      readonly path: readonly PathSegment[];
      readonly optional: boolean;
    }
  | { readonly kind: "text" | "expression" | "computed"; readonly parts: readonly unknown[] }
  | { readonly kind: "secret"; readonly name: string };

type SymbolicReference = Extract<Symbolic, { readonly kind: "reference" }>;

const made = new WeakMap<object, Symbolic>();

/** What a value represents, if the builder made it. */
export function symbolicOf(value: unknown): Symbolic | undefined {
  return (typeof value === "object" || typeof value === "function") && value !== null ? made.get(value) : undefined;
}

/** A value that represents `symbolic`, without parts of its own. */
export function symbol(symbolic: Exclude<Symbolic, SymbolicReference>): object {
  const object = Object.freeze({});
  made.set(object, symbolic);
  return object;
}

/** Steps that are called; any other property is a step by itself. */
const called: ReadonlySet<string> = new Set(["items", "at"]);

/** Methods that programs try on a list or a text, which is not there yet. Each is a part of an output, too, where it is not called. */
const methods: ReadonlySet<string> = new Set(
  "concat every filter find flat flatMap forEach includes join map push reduce replace slice some sort split toLowerCase toUpperCase trim".split(
    " ",
  ),
);

/** A reference, whose properties are references to the parts of its value. */
export function reference(
  target: Target,
  path: readonly PathSegment[] = [],
  { optional = false }: { readonly optional?: boolean } = {},
): object {
  const last = path.at(-1);
  const name = last !== undefined && "key" in last ? last.key : "";
  const isCalled = called.has(name) || methods.has(name);
  const proxy: object = new Proxy(isCalled ? () => {} : {}, {
    get(_, key) {
      if (key === Symbol.toPrimitive || key === "toJSON" || key === Symbol.iterator) throw noValue();
      if (typeof key === "symbol") return undefined;
      if (optional) throw endsHere();
      return reference(target, [...path, { key }]);
    },
    apply(_, __, [step]: unknown[]) {
      if (methods.has(name)) throw noMethod(name);
      const before = path.slice(0, -1);
      if (name === "items") return reference(target, [...before, { map: true }]);
      if (typeof step === "string") return reference(target, [...before, { key: step }]);
      if (typeof step === "number" && Number.isSafeInteger(step) && step >= 0)
        return reference(target, [...before, { index: step }]);
      const message = "Expected `at` to be given the place in a list, from 0, or the key of an object.";
      throw new PlanError(PlanErrorCode.OPTION, message, { details: { option: "at" } });
    },
    set() {
      throw noValue();
    },
  });
  made.set(proxy, { kind: "reference", target, path, optional });
  return proxy;
}

function noValue(): PlanError {
  const message =
    "A reference has no value while a plan is being defined: it cannot be printed, compared, iterated or changed. Write it as an argument, or within t.text`…` or t.expression`…`.";
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [] } });
}

function noMethod(name: string): PlanError {
  const message = `\`${name}\` cannot be called while a plan is being defined: the value is not there yet. \`t.each(list.items(), (one) => …)\` makes the tasks of each element, and t.expression\`…\` or t.text\`…\` computes with values.`;
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [] } });
}

function endsHere(): PlanError {
  const message =
    "Expected `t.optional` around the whole reference: nothing can be read from the null that it may give.";
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [] } });
}

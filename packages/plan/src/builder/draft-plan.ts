import { checkOptions } from "../check-options.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { Resource } from "../ports/resource.ts";
import { nearestNames } from "../validation/nearest-names.ts";
import { valueText } from "../validation/value-text.ts";
import type { DraftScope, DraftTask } from "./draft-task.ts";
import type { PlanBuilder, PlanParts } from "./plan-builder.ts";
import { Source } from "./render-value.ts";
import { reference, symbol, symbolicOf } from "./symbolic.ts";
import {
  type ChooseOptions,
  chooseOptionChecks,
  decideOptionChecks,
  type EachOptions,
  eachOptionChecks,
  type TaskOptions,
  taskOptionChecks,
  type WaitOptions,
  waitOptionChecks,
} from "./task-options.ts";
import type { Callable } from "./typed-resource.ts";

type DecideOptions = TaskOptions & Pick<ChooseOptions, "else">;

/** The tasks that a function has made with a builder. */
export class DraftPlan {
  readonly scope: DraftScope = { list: undefined, around: undefined, tasks: [] };
  readonly #resources: readonly Resource[];
  readonly #variables: Readonly<Record<string, unknown>>;
  /** Where tasks are added now: the plan, or an element of the list whose function is being called. */
  #current: DraftScope = this.scope;
  #isClosed = false;

  constructor(parts: PlanParts) {
    this.#resources = resourcesOf(parts);
    this.#variables = parts.variables ?? {};
  }

  get resources(): readonly Resource[] {
    return this.#resources;
  }

  /** The plan has been defined: a task that is made from now on would be in no plan. */
  close(): void {
    this.#isClosed = true;
  }

  /** The builder, whose types are those of `PlanBuilder`. */
  builder(): PlanBuilder {
    const methods = {
      call: (chosen: unknown, input: unknown = {}, options: TaskOptions = {}) => this.#call(chosen, input, options),
      each: (items: unknown, make: unknown, options: EachOptions = {}) => this.#each(items, make, options),
      choose: (branches: unknown, options: ChooseOptions = {}) => this.#choose(branches, options),
      decide: (chosen: unknown, input: unknown, branches: unknown, options: DecideOptions = {}) =>
        this.#decide(chosen, input, branches, options),
      wait: (wait: unknown, options: WaitOptions = {}) => {
        checkOptions("`t.wait`", options, waitOptionChecks);
        if (!isRecord(wait)) throw invalid(`Expected \`t.wait\` to be given what to wait for, got ${valueText(wait)}.`);
        return this.#add({ kind: "wait", wait, options });
      },
      text: (strings: TemplateStringsArray, ...values: unknown[]) =>
        symbol({ kind: "text", parts: strings.flatMap((text, place) => [text, ...values.slice(place, place + 1)]) }),
      expression: (strings: TemplateStringsArray, ...values: unknown[]) =>
        symbol({ kind: "expression", parts: programOf(strings, values) }),
      computed: (strings: TemplateStringsArray, ...values: unknown[]) =>
        symbol({ kind: "computed", parts: programOf(strings, values) }),
      optional: (value: unknown) => {
        const { target, path } = referenceFrom(value, "t.optional");
        return reference(target, path, { optional: true });
      },
      present: (value: unknown) => same(value, "t.present"),
      assume: (value: unknown) => same(value, "t.assume"),
      secret: (name: unknown) => {
        if (typeof name !== "string" || name === "")
          throw invalid(`Expected the name of a secret, got ${valueText(name)}.`);
        return symbol({ kind: "secret", name });
      },
      variables: this.#variableReferences(),
      input: () => reference({ kind: "name", name: "input" }),
    };
    return methods as unknown as PlanBuilder;
  }

  #call(chosen: unknown, input: unknown, options: TaskOptions): object {
    checkOptions("`t.call`", options, taskOptionChecks);
    const resource = this.#find(chosen);
    return this.#add({ kind: "call", resource, input, options });
  }

  #each(items: unknown, make: unknown, options: EachOptions): object {
    checkOptions("`t.each`", options, eachOptionChecks);
    if (typeof make !== "function")
      throw invalid(`Expected \`t.each\` to be given a function, got ${valueText(make)}.`);
    const around = this.#open();
    const work = { kind: "list", items, options } as const;
    const list: DraftTask = { scope: around, work };
    const scope: DraftScope = { list, around, tasks: [] };
    this.#current = scope;
    let made: unknown;
    try {
      made = make(reference({ kind: "item", list }), reference({ kind: "index", list }));
    } finally {
      this.#current = around;
    }
    const result = taskFrom(made);
    if (result?.scope !== scope) {
      const message =
        "Expected the function of `t.each` to return a task that it has made (what `t.call` or `t.each` gives).";
      throw invalid(message);
    }
    Object.assign(work, { elements: { scope, result } });
    around.tasks.push(list);
    return reference({ kind: "task", task: list });
  }

  #decide(chosen: unknown, input: unknown, branches: unknown, given: DecideOptions): object {
    checkOptions("`t.decide`", given, decideOptionChecks);
    const { else: otherwise, ...options } = given;
    if (!isRecord(branches) || Object.values(branches).some((each) => typeof each !== "string"))
      throw invalid(
        `Expected \`t.decide\` to be given texts by the names of the branches, each of which says when the branch is the right one, got ${valueText(branches)}.`,
      );
    const decides = { branches: branches as Record<string, string>, else: otherwise };
    return this.#add({ kind: "call", resource: this.#find(chosen), input, options, decides });
  }

  #choose(branches: unknown, options: ChooseOptions): object {
    checkOptions("`t.choose`", options, chooseOptionChecks);
    if (!isRecord(branches) || Object.keys(branches).length === 0)
      throw invalid(
        `Expected \`t.choose\` to be given conditions by the names of their branches, got ${valueText(branches)}.`,
      );
    return this.#add({ kind: "choose", branches, options });
  }

  #add(work: DraftTask["work"]): object {
    const task: DraftTask = { scope: this.#open(), work };
    this.#current.tasks.push(task);
    return reference({ kind: "task", task });
  }

  /** Where a task is to be made. @throws PlanError INVALID where the plan has been defined */
  #open(): DraftScope {
    if (!this.#isClosed) return this.#current;
    throw invalid(
      "Expected tasks to be made while the function of `definePlan` is being called; the plan has been defined already. What the function needs has to be there before (no `await`, no callback that comes later).",
    );
  }

  #find(chosen: unknown): Resource {
    const byId = typeof chosen === "string" ? this.#resources.filter(({ id }) => id === chosen) : [];
    const [found, second] = byId;
    if (found !== undefined && second === undefined) return found;
    if (found !== undefined)
      throw invalid(
        `"${String(chosen)}" is the id of several resources. Give \`t.call\` the definition in place of the id.`,
      );
    if (isRecord(chosen)) {
      const wanted = (isRecord(chosen.resource) ? chosen.resource : chosen) as unknown as Resource;
      const declared = this.#resources.find(
        (each) => each === wanted || (each.kind === wanted.kind && each.id === wanted.id),
      );
      if (declared !== undefined) return declared;
    }
    const name = typeof chosen === "string" ? chosen : undefined;
    const ids = this.#resources.map(({ id }) => id);
    const nearest = name === undefined ? [] : nearestNames(name, ids).names;
    const known =
      ids.length === 0
        ? "It has none"
        : nearest.length > 0
          ? `Perhaps "${nearest[0]}" is meant`
          : `It has ${ids.slice(0, 5).join(", ")}`;
    const got = name === undefined ? idText(chosen) : `"${name}"`;
    throw invalid(
      `Expected \`t.call\` to be given one of the plan's tools, agents, llms or workflows, got ${got}. ${known}.`,
    );
  }

  #variableReferences(): object {
    const names = Object.keys(this.#variables);
    return Object.freeze(Object.fromEntries(names.map((name) => [name, reference({ kind: "name", name })])));
  }
}

/** The parts of a JSONata expression: its text, and what was written into it. */
function programOf(strings: TemplateStringsArray, values: readonly unknown[]): readonly unknown[] {
  return strings.flatMap((text, place) => [new Source(text), ...values.slice(place, place + 1)]);
}

/** The task whose whole output a value represents. */
export function taskFrom(value: unknown): DraftTask | undefined {
  const symbolic = symbolicOf(value);
  return symbolic?.kind === "reference" && symbolic.target.kind === "task" && symbolic.path.length === 0
    ? symbolic.target.task
    : undefined;
}

function referenceFrom(value: unknown, what: string) {
  const symbolic = symbolicOf(value);
  if (symbolic?.kind === "reference") return symbolic;
  throw invalid(`Expected \`${what}\` to be given a reference, got ${valueText(value)}.`);
}

function same(value: unknown, what: string): unknown {
  referenceFrom(value, what);
  return value;
}

function resourcesOf({ tools = [], agents = [], llms = [], workflows = [] }: PlanParts): Resource[] {
  return [...tools, ...agents, ...llms, ...workflows].map((callable: Callable, place) => {
    const resource = "resource" in callable ? callable.resource : callable;
    if (isRecord(resource) && typeof resource.id === "string" && typeof resource.kind === "string") return resource;
    const message = `Expected what \`defineTool\` and its like make, or resources, got ${valueText(callable)} (number ${place}).`;
    throw invalid(message);
  });
}

function idText(chosen: unknown): string {
  const resource = isRecord(chosen) && isRecord(chosen.resource) ? chosen.resource : chosen;
  return isRecord(resource) && typeof resource.id === "string" ? `"${resource.id}"` : valueText(chosen);
}

export function invalid(message: string, cause?: unknown): PlanError {
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [{ path: "", message }] }, cause });
}

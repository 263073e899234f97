import type { PlannerTaskInput } from "../../records/planner-task.ts";
import { collectReferences } from "../../references/collect-references.ts";
import { refusal } from "./refusal.ts";
import { type Beginning, type Fields, reserved } from "./state-data.ts";
import type { Value } from "./value.ts";

// What reading a state needs, whatever its type.

export interface ReadStates {
  readonly tasks: PlannerTaskInput[];
  readonly output: Value;
  /** Ids of the tasks that are the last. */
  readonly last: readonly string[];
  /** Whether some of these are skipped, since they are in branches of a decision. */
  readonly joins: boolean;
  readonly variables: ReadonlyMap<string, Value>;
}

/** States of one machine, branch or element, while they are read. */
export interface Machine {
  readonly what: string;
  readonly states: Fields;
  readonly jsonata: boolean;
  readonly tasks: PlannerTaskInput[];
  readonly seen: Set<string>;
  readonly meetings: ReadonlyMap<string, string>;
}

export interface ReadChain extends Omit<ReadStates, "tasks"> {
  /** Whether it ends in a Fail state, so that nothing comes after it. */
  readonly fails: boolean;
}

/** What has been read of one state. */
export interface Read extends ReadStates {
  readonly fails?: boolean;
  /** The condition of the branches that do not fail, where some do. */
  readonly gate?: string;
  /** The state that comes next, where the state itself does not say. */
  readonly next?: string;
}

export const ofPaths = ["InputPath", "OutputPath"];

const elsewhere: Readonly<Record<string, string>> = {
  Catch: "cannot be converted: a plan handles failures by `on_failure` and replanning, not by going to another state.",
  HeartbeatSeconds: "cannot be converted: a plan has a time limit for each attempt alone (`TimeoutSeconds`).",
  Credentials: "cannot be converted: a plan does not choose the role under which a call is made.",
  ItemReader: "cannot be converted: a plan works through lists that a task or an input gives.",
  ItemBatcher: "cannot be converted: a plan works through a list element by element.",
  ResultWriter: "cannot be converted: the results of a list are the output of its task.",
};

export function checkFields(
  name: string,
  state: Fields,
  ofState: readonly string[],
  ofLanguage: readonly string[],
  { jsonata }: Beginning,
): void {
  for (const field of Object.keys(state)) {
    if (ofState.includes(field) || ofLanguage.includes(field)) continue;
    const language = jsonata ? "JSONata" : "JSONPath";
    throw refusal(
      name,
      field,
      elsewhere[field] ?? `cannot be converted in a ${String(state.Type)} state of ${language}.`,
    );
  }
}

/** The task with what the branch that it begins asks for, and the dependencies that its references do not imply. */
export function withEntry(task: PlannerTaskInput, { after, entry, gate }: Beginning): PlannerTaskInput {
  const entered = entry?.after === after ? { ...task, ...entry.fields } : task;
  // What branches before have given, of which one alone was taken: the others were skipped, and this runs all the same where its own branch is taken.
  const data = collectReferences([task.arguments, task.for_each, task.wait, task.choose]);
  const begun: PlannerTaskInput = data.some(({ reference }) => reference.optional)
    ? { ...entered, join: "none_failed", ...(gate !== undefined && { when: { condition: gate } }) }
    : entered;
  const implied = new Set(
    collectReferences([begun.arguments, begun.for_each, begun.wait, begun.when, begun.choose]).map(
      ({ reference }) => reference.name,
    ),
  );
  const dependencies = after.filter((id) => !implied.has(id));
  return dependencies.length === 0 ? begun : { ...begun, dependencies };
}

/** The id of a state's task: its name, unless that means something else in references. */
export function idOf(name: string): string {
  return reserved.has(name) || /^item_\d+$/.test(name) ? `${name}_state` : name;
}

/** The tasks of one state. */
export interface Work {
  readonly tasks: PlannerTaskInput[];
  readonly last: readonly string[];
  readonly joins?: boolean;
  /** What the state has come to, before its output is made of it. */
  readonly result: Value;
}

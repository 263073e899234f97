import { PlanError, PlanErrorCode } from "../../errors.ts";
import { isRecord } from "../../json.ts";
import type { ForEach, PlannerTask } from "../../records/planner-task.ts";
import type { TaskData } from "../../records/task-data.ts";
import { effectiveDependencies } from "../../references/effective-dependencies.ts";
import { defaultItemName, indexName } from "../../references/flow-values.ts";
import { parseReference } from "../../references/parse-reference.ts";
import { parseTemplate, wholeReference } from "../../references/parse-template.ts";
import type { Reference } from "../../references/reference.ts";
import { referenceObjectText, textObjectTemplate } from "../../references/reference-object.ts";
import { inDependencyOrder, refuseOutputNames, toolOf } from "../numbered-steps.ts";
import { withoutBrackets } from "./names-in-code.ts";
import { name as dialect, refusal } from "./refusal.ts";
import { retrierOf, seconds } from "./retry.ts";
import { codePath } from "./value.ts";
import { type BranchTasks, branchesOf } from "./write-branches.ts";
import { type Block, blockOf, type State, writeDecision } from "./write-choice.ts";

type Machine = { StartAt: string; States: Record<string, State> };

/** Names of values in expressions, by the names that references have. */
type Names = ReadonlyMap<string, string>;

/** What is used up in a whole state machine: names of states and of variables, which mean one thing each. */
interface Taken {
  readonly states: Set<string>;
  /** The ids of all tasks, which are the names of their states. */
  readonly ids: ReadonlySet<string>;
  readonly variables: Set<string>;
}

/**
 * The plan as a state machine in JSONata: tasks that can run at once are the branches of a Parallel state, one such state after the other. Outputs are
 * handed on in variables.
 * @throws PlanError DIALECT naming the task and the field that a state machine cannot say; CYCLE
 */
export function writeMachine(plan: TaskData): State {
  refuseOutputNames(dialect, plan);
  const taken: Taken = { states: new Set(), ids: idsOf(plan.planned_tasks), variables: new Set(["states"]) };
  const names = new Map([["input", "$states.context.Execution.Input"]]);
  const { variables = {}, title } = plan;
  const chain: Block[] = [];
  if (Object.keys(variables).length > 0) {
    const Assign: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(variables)) {
      const variable = free(asVariable(name), taken.variables);
      if (variable !== name)
        throw refusal(
          "Variables",
          name,
          "cannot be the name of a variable of a state machine. Rename the plan variable.",
        );
      Assign[variable] = literal(value);
      names.set(name, `$${variable}`);
    }
    chain.push(blockOf(freeState("Variables", taken), { Type: "Pass", Assign }));
  }
  chain.push(...writeTasks(plan.planned_tasks, names, taken));
  return { ...(title !== undefined && { Comment: title }), QueryLanguage: "JSONata", ...inOrder(chain) };
}

function writeTasks(tasks: readonly PlannerTask[], around: Names, taken: Taken): Block[] {
  // A plan with a cycle is refused as such, before its branches are looked for.
  const needs = new Map(effectiveDependencies(tasks).map((ids, place) => [tasks[place]!.task_id, ids]));
  inDependencyOrder([...needs.keys()], (id) => needs.get(id) ?? []);
  const names = new Map(around);
  const variableOf = new Map<string, string>();
  for (const { task_id, result_variable, wait, choose } of tasks) {
    const variable = free(asVariable(task_id), taken.variables);
    variableOf.set(task_id, variable);
    // A Wait or Choice state gives its input, which no task refers to.
    if (wait !== undefined || choose !== undefined) continue;
    names.set(task_id, `$${variable}`);
    if (result_variable !== undefined) names.set(result_variable, `$${variable}`);
  }
  return writeLevels(branchesOf(tasks), names, variableOf, taken);
}

/** The tasks of one branch, or of none, level by level. */
function writeLevels(
  { tasks, dependencies, within }: BranchTasks,
  names: Names,
  variableOf: ReadonlyMap<string, string>,
  taken: Taken,
): Block[] {
  return levelsOf(tasks, dependencies).map((level, place): Block => {
    const isAlone = level.length === 1;
    const written = level.map((task): Block => {
      const { task_id, for_each, choose } = task;
      const name = free(task_id, taken.states);
      if (choose !== undefined)
        return writeDecision(task, name, within.get(task_id) ?? new Map(), {
          code: (text, field) => conditionCode(text, names, task_id, field),
          chain: (branch) => writeLevels(branch, names, variableOf, taken),
          free: (wanted) => freeState(wanted, taken),
        });
      const state = for_each === undefined ? writeTask(task, names) : writeList(task, for_each, names, taken);
      if (!isAlone || state.Type === "Wait") return blockOf(name, state);
      return blockOf(name, { ...state, Assign: { [variableOf.get(task_id)!]: "{% $states.result %}" } });
    });
    if (isAlone) return written[0]!;
    const Assign = Object.fromEntries(
      level.flatMap(({ task_id, wait, choose }, branch) =>
        (wait ?? choose) === undefined ? [[variableOf.get(task_id)!, `{% $states.result[${branch}] %}`]] : [],
      ),
    );
    const Branches = written.map((block) => inOrder([block]));
    return blockOf(freeState(`Level ${place + 1}`, taken), { Type: "Parallel", Branches, Assign });
  });
}

/** The code of a condition, with variables in the place of references. */
function conditionCode(condition: string, names: Names, task: string, field: string): string {
  const { parts } = parseTemplate(condition);
  const code = parts.map((part) => (typeof part === "string" ? part : codeOf(part, names, task)));
  const text = code.join("");
  if (text.includes("%}")) throw refusal(task, field, "cannot be written as a state machine, since it has %} in it.");
  return text;
}

/**
 * Tasks by how many others come before them on the longest path: those of one level can run at once.
 * @throws PlanError DIALECT for a task between a decision and one of its branches
 */
function levelsOf(
  tasks: readonly PlannerTask[],
  dependencies: ReadonlyMap<string, readonly string[]>,
): PlannerTask[][] {
  const order = orderOf(tasks, dependencies);
  const depths = new Map<string, number>();
  for (const id of order) {
    const before = (dependencies.get(id) ?? []).map((each) => depths.get(each)! + 1);
    depths.set(
      id,
      before.reduce((most, depth) => Math.max(most, depth), 0),
    );
  }
  const levels: PlannerTask[][] = [];
  for (const task of tasks) {
    const depth = depths.get(task.task_id)!;
    levels[depth] ??= [];
    levels[depth].push(task);
  }
  return levels;
}

function orderOf(tasks: readonly PlannerTask[], dependencies: ReadonlyMap<string, readonly string[]>): string[] {
  try {
    return inDependencyOrder([...dependencies.keys()], (id) => dependencies.get(id) ?? []);
  } catch (cause) {
    if (!(cause instanceof PlanError) || cause.code !== PlanErrorCode.CYCLE) throw cause;
    const path = cause.details.path as string[];
    const decision = tasks.find(({ task_id, choose }) => choose !== undefined && path.includes(task_id))?.task_id;
    throw refusal(
      path.find((id) => id !== decision) ?? "",
      "dependencies",
      `lets it come after the decision ${JSON.stringify(decision)} and before a task of one of its branches. A state machine goes from a decision straight to its branches.`,
    );
  }
}

function inOrder(chain: readonly Block[]): Machine {
  for (const [place, { exits }] of chain.entries()) for (const exit of exits) exit(chain[place + 1]?.name);
  return { StartAt: chain[0]!.name, States: Object.fromEntries(chain.flatMap((block) => block.states())) };
}

/** Fields that a state machine has nothing for, or means otherwise. */
const cannot = ["retry_until", "on_failure", "mark_replan", "instructions", "agent_id"] as const;

function writeTask(task: PlannerTask, names: Names): State {
  const { task_id, description, timeout_ms, retry, wait } = task;
  const said = task as unknown as Readonly<Record<string, unknown>>;
  const field = cannot.find((each) => said[each] !== undefined && said[each] !== null && said[each] !== false);
  if (field !== undefined) throw refusal(task_id, field, "cannot be written as a state machine.");
  const computed = computedArguments(task, names);
  if (wait !== undefined) return { Type: "Wait", ...timeOf(task_id, wait, names) };
  return {
    Type: "Task",
    ...(description !== "" && { Comment: description }),
    Resource: toolOf(dialect, { ...task, convertor_code: computed === undefined ? task.convertor_code : null }),
    Arguments: computed ?? written(task.arguments, names, task_id),
    ...(timeout_ms !== undefined && { TimeoutSeconds: seconds(task_id, "timeout_ms", timeout_ms) }),
    ...(retry !== undefined && { Retry: [retrierOf(task_id, retry)] }),
  };
}

/** Arguments that are computed from references as a machine that was read has them (`$$.v1`); undefined for other code. */
function computedArguments(
  { task_id, arguments: given, convertor_code }: PlannerTask,
  names: Names,
): string | undefined {
  if (convertor_code === null) return undefined;
  const values = Object.entries(given).map(
    ([key, value]) => [key, typeof value === "string" ? wholeReference(value) : undefined] as const,
  );
  if (values.some(([key, reference]) => reference === undefined || !/^v\d+$/.test(key))) return undefined;
  const codes = new Map(values.map(([key, reference]) => [key, codeOf(reference!, names, task_id)]));
  // Texts in the code are kept as they are.
  const code = convertor_code.replaceAll(
    /"(?:[^"\\]|\\.)*"|\$\$\.(v\d+)\b/g,
    (whole, key?: string) => (key && codes.get(key)) ?? whole,
  );
  return code.replaceAll(/"(?:[^"\\]|\\.)*"/g, "").includes("$$") ? undefined : `{% ${withoutBrackets(code)} %}`;
}

function timeOf(task: string, { for_ms, until, event }: NonNullable<PlannerTask["wait"]>, names: Names): State {
  if (event !== undefined)
    throw refusal(task, "wait.event", "cannot be written as a state machine: a Wait state waits for a time.");
  if (typeof for_ms === "number") return { Seconds: seconds(task, "wait.for_ms", for_ms) };
  if (for_ms !== undefined)
    throw refusal(task, "wait.for_ms", "cannot be written as a state machine where it is a reference.");
  return { Timestamp: written({ until }, names, task).until };
}

function writeList(task: PlannerTask, list: ForEach, names: Names, taken: Taken): State {
  const { task_id } = task;
  const { items, as = defaultItemName, concurrency, on_failure, failed_as, max_items, tasks, result } = list;
  if (failed_as === "error") throw refusal(task_id, "for_each.failed_as", "cannot be written as a state machine.");
  if (max_items !== undefined) throw refusal(task_id, "for_each.max_items", "cannot be written as a state machine.");
  const item = free(asVariable(as), taken.variables);
  const index = free(indexName, taken.variables);
  const within = new Map([...names, [as, `$${item}`], [indexName, `$${index}`]]);
  const begin = blockOf(freeState(`${task_id} begins`, taken), {
    Type: "Pass",
    Assign: { [item]: "{% $states.input.item %}", [index]: "{% $states.input.index %}" },
  });
  const { for_each: _, when: __, ...call } = task;
  if (task.retry !== undefined && tasks !== undefined)
    throw refusal(task_id, "retry", "of a list that has tasks of its own cannot be written as a state machine.");
  const inner =
    tasks === undefined
      ? [blockOf(freeState(`${task_id} element`, taken), writeTask(call, within))]
      : withResult(task_id, writeTasks(tasks, within, taken), tasks, result);
  const policy =
    on_failure === undefined || on_failure === "all"
      ? {}
      : on_failure === "collect"
        ? { ToleratedFailurePercentage: 100 }
        : { ToleratedFailureCount: on_failure.first - 1 };
  return {
    Type: "Map",
    Items: written({ items }, names, task_id).items,
    ItemSelector: { item: "{% $states.context.Map.Item.Value %}", index: "{% $states.context.Map.Item.Index %}" },
    ...(concurrency !== undefined && { MaxConcurrency: concurrency }),
    ...policy,
    ItemProcessor: inOrder([begin, ...inner]),
  };
}

/** The output of an element is that of its last state, so the task that gives it must be the last. */
function withResult(owner: string, chain: Block[], tasks: readonly PlannerTask[], result: string | undefined): Block[] {
  const wanted = tasks.length === 1 ? tasks[0]!.task_id : result;
  const given = tasks.find(({ task_id, result_variable }) => task_id === wanted || result_variable === wanted);
  const last = chain.at(-1);
  if (given !== undefined && last?.name === given.task_id && given.choose === undefined) return chain;
  throw refusal(
    owner,
    "for_each.result",
    "is not the only last task of the element, which the output of a state machine is.",
  );
}

/** Arguments with their references as expressions. */
function written(value: Readonly<Record<string, unknown>>, names: Names, task: string): Record<string, unknown> {
  const visit = (each: unknown): unknown => {
    if (typeof each === "string") {
      const whole = wholeReference(each);
      return whole === undefined ? writeText(each, names, task, false) : `{% ${codeOf(whole, names, task)} %}`;
    }
    if (Array.isArray(each)) return each.map(visit);
    if (!isRecord(each)) return each;
    const reference = referenceObjectText(each);
    if (reference !== undefined) return `{% ${codeOf(parseReference(reference), names, task)} %}`;
    const text = textObjectTemplate(each);
    if (text !== undefined) return writeText(text, names, task, true);
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(value) as Record<string, unknown>;
}

function writeText(text: string, names: Names, task: string, isText: boolean): string {
  const { parts } = parseTemplate(text);
  const [only, second] = parts;
  if (only === undefined) return "";
  if (second === undefined && typeof only === "string") return literal(only) as string;
  if (second === undefined && !isText) return `{% ${codeOf(only as Reference, names, task)} %}`;
  const code = parts.map((part) =>
    typeof part === "string" ? JSON.stringify(part) : `$string(${codeOf(part, names, task)})`,
  );
  return `{% ${code.join(" & ")} %}`;
}

/** Data as a state machine has it: a text that would be read as an expression becomes an expression that gives that text. */
function literal(value: unknown): unknown {
  if (typeof value === "string") return /^\{%[\s\S]*%\}$/.test(value) ? `{% ${JSON.stringify(value)} %}` : value;
  if (Array.isArray(value)) return value.map(literal);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

function codeOf({ name, path, optional }: Reference, names: Names, task: string): string {
  const code = names.get(name);
  if (code === undefined)
    throw refusal(task, "arguments", `refers to ${JSON.stringify(name)}, whose output a state machine does not have.`);
  if (optional)
    throw refusal(
      task,
      "arguments",
      `refers to ${name} with "?": a state machine has no null in the place of what is absent.`,
    );
  if (path.some((segment) => "key" in segment && segment.key.includes("`")))
    throw refusal(task, "arguments", `refers to a key of ${name} with a backtick in it, which JSONata cannot name.`);
  const maps = path.flatMap((segment, at) => ("map" in segment ? [at] : []));
  if (maps.length > 1 || maps.some((at) => path[at + 1] !== undefined && "index" in path[at + 1]!))
    throw refusal(
      task,
      "arguments",
      `refers to lists within a list of ${name}, of which JSONata makes one list, and a plan does not.`,
    );
  const whole = `${code}${codePath(path)}`;
  return path.some((segment) => "map" in segment) ? `[${whole}]` : whole;
}

function asVariable(id: string): string {
  const name = id.replaceAll(/\W+/g, "_");
  return /^[A-Za-z]/.test(name) ? name : `t_${name}`;
}

function idsOf(tasks: readonly PlannerTask[]): Set<string> {
  const ids = new Set<string>();
  const pending = [...tasks];
  for (const { task_id, for_each } of pending) {
    ids.add(task_id);
    pending.push(...(for_each?.tasks ?? []));
  }
  return ids;
}

/** A name for a state of no task. It is that of no task either, so that tasks have the same ids when the machine is read. */
function freeState(wanted: string, { states, ids }: Taken): string {
  return free(wanted, states, ids);
}

function free(wanted: string, taken: Set<string>, reserved?: ReadonlySet<string>): string {
  const name = wanted.slice(0, 70);
  let result = name;
  for (let count = 2; taken.has(result) || reserved?.has(result); count++) result = `${name}_${count}`;
  taken.add(result);
  return result;
}

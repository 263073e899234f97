import type { ControllerReply, Phase2Request } from "@planloom/controller";
import { IssueCode, isRecord, type PlanIssue, type Resource } from "@planloom/plan";
import { readCatalogue } from "./catalogue/catalogue.ts";
import { type Parameter, setArgument } from "./catalogue/parameter.ts";
import type { Profile } from "./catalogue/profile.ts";
import { splitClauses } from "./language/clauses/clauses.ts";
import { readClause } from "./language/clauses/phrases.ts";
import { goalKinds } from "./language/goal-kinds.ts";
import type { ClockOptions } from "./language/temporal/calendar.ts";
import { sameStem } from "./language/text/stem.ts";
import { tokenise } from "./language/text/token.ts";
import { type PlanGoalOptions, readPlan } from "./plan-goal.ts";
import { searchFor } from "./records/choose.ts";
import { latestIssues, repaired } from "./replan/repairs.ts";

/**
 * Phase 2 without a model: chooses the resource that the task's description fits (or whose parameters its input has),
 * keeps what the input says, and fills from the description the required arguments that are open; all of them where the
 * input says nothing.
 */
export function bindTask(
  request: Phase2Request,
  options: ClockOptions,
  meant: Pick<PlanGoalOptions, "meaning"> = {},
): ControllerReply {
  const { text, resources } = readBinding(request);
  const input = isRecord(request.input) ? request.input : {};
  if (resources.length === 0)
    return failed("There is no resource to choose from; register one that fits the task.", text);
  const profile = choose(text, input, resources, { ...options, ...meant });
  if (profile === undefined)
    return failed(`No resource fits the task "${text.slice(0, 200)}". Known: ${listed(resources)}.`, text);

  const first = fill(profile, input, text, options);
  const issues = [...latestIssues(request.feedback).values()].flat();
  const input_data = repaired(first, issues);
  const data = { uid: profile.resource.id, input_data };
  const before = request.feedback?.at(-1)?.answer;
  if (before !== undefined && isSame(before, data)) {
    return {
      ...failed(`The arguments of \`${profile.resource.id}\` cannot be completed without a model.`, text),
      issues,
    };
  }
  return { success: true, data };
}

/**
 * What the task says, and the resources that it may be bound to. The prompt is read only where the request has no task (one over
 * HTTP that has nothing else): it describes the resources, too, whose words are not values.
 */
export function readBinding(request: Phase2Request): { text: string; resources: readonly Resource[] } {
  const said = [request.task?.description, request.task?.instructions].filter(
    (text) => typeof text === "string" && text !== "",
  );
  const text = (request.task === undefined ? request.phase_2_data.task_input_data : said.join(". ")).slice(0, 20_000);
  return { text, resources: candidates(request) };
}

/** Resources of the task's kind; all, when it has none. */
function candidates(request: Phase2Request): readonly Resource[] {
  const all = request.resources ?? [];
  const kind = request.task?.execution_type ?? "";
  const same = all.filter((resource) => resource.kind === kind);
  return same.length > 0 ? same : all;
}

function choose(
  text: string,
  input: Readonly<Record<string, unknown>>,
  resources: readonly Resource[],
  options: PlanGoalOptions,
): Profile | undefined {
  const catalogue = readCatalogue(resources);
  if (catalogue.profiles.length === 1) return catalogue.profiles[0];
  const [task] = readPlan(text, resources, options).planned.plan.planned_tasks.slice(-1);
  const parameters = isRecord(task?.parameters) ? task.parameters : {};
  const id = task?.tool_id ?? task?.function_id ?? task?.agent_id ?? parameters.uid;
  const planned = catalogue.profiles.find((profile) => profile.resource.id === id);
  if (planned !== undefined) return planned;
  const [raw] = splitClauses(tokenise(text), catalogue);
  const found = raw === undefined ? undefined : searchFor(readClause(raw, catalogue), catalogue).profile;
  if (found !== undefined) return found;
  const keys = Object.keys(input);
  const taking = catalogue.profiles.filter((profile) => keys.length > 0 && keys.every((key) => has(profile, key)));
  return taking.length === 1 ? taking[0] : undefined;
}

const has = (profile: Profile, key: string) => profile.parameters.some((parameter) => parameter.path[0] === key);

function fill(
  profile: Profile,
  input: Readonly<Record<string, unknown>>,
  text: string,
  options: ClockOptions,
): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const spare = new Map<string, unknown>();
  const closed =
    isRecord(profile.resource.input_schema) && profile.resource.input_schema.additionalProperties === false;
  for (const [key, value] of Object.entries(input)) {
    if (has(profile, key) || !closed) setArgument(result, [key], value);
    else spare.set(key, value);
  }
  const open = profile.parameters.filter(
    (parameter) => parameter.path.length === 1 && !Object.hasOwn(result, parameter.path[0]!),
  );
  for (const [key, value] of spare) {
    const target = open.find((parameter) => !Object.hasOwn(result, parameter.name) && alike(parameter, key));
    if (target !== undefined) setArgument(result, target.path, value);
  }
  const silent = Object.keys(input).length === 0;
  const missing = open.filter((parameter) => (silent || parameter.required) && !Object.hasOwn(result, parameter.name));
  if (missing.length === 0) return result;
  const planned = readPlan(text, [profile.resource], options).planned.plan.planned_tasks.at(-1)?.arguments;
  const plannedArguments = isRecord(planned) ? planned : {};
  for (const parameter of missing) {
    const value = Object.hasOwn(plannedArguments, parameter.name) ? plannedArguments[parameter.name] : undefined;
    // A reference means something only inside a plan.
    if (value !== undefined && !JSON.stringify(value).includes("${")) setArgument(result, parameter.path, value);
  }
  const rest = missing.filter((parameter) => parameter.required && !Object.hasOwn(result, parameter.name));
  const [only] = rest;
  const textual =
    only !== undefined &&
    (only.types.size === 0 || only.types.has("string")) &&
    only.choices.length === 0 &&
    !only.isCredential &&
    !only.isIdentifier &&
    !only.holdsDay;
  if (rest.length === 1 && textual && !goalKinds[profile.resource.kind].callsAreExact)
    setArgument(result, only.path, text);
  return result;
}

function alike(parameter: Parameter, key: string): boolean {
  const words = key
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
  return words.length > 0 && words.every((word) => parameter.words.some((other) => sameStem(word, other)));
}

function isSame(answer: string, data: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(answer)) === JSON.stringify(data);
  } catch {
    return false;
  }
}

function listed(resources: readonly Resource[]): string {
  const names = resources.slice(0, 12).map((resource) => `\`${resource.id}\``);
  return resources.length > 12 ? `${names.join(", ")} and ${resources.length - 12} more` : names.join(", ");
}

function failed(message: string, actual: string): ControllerReply {
  const issue: PlanIssue = { code: IssueCode.UNRESOLVED, severity: "error", message, actual: actual.slice(0, 300) };
  return { success: false, message, issues: [issue] };
}

import { readdir, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { TaskData } from "planloom";
import type { JobInput, PlanReading } from "planloom/plan";
import { commandName } from "./command-name.ts";
import { CliError, CliErrorCode, SharedErrorCode } from "./errors.ts";
import { findSavedPlan } from "./home.ts";
import type { CliIo } from "./io.ts";
import { knownIds } from "./known-ids.ts";
import { hasLaboratory, loadLaboratory, type WorkloadPlan } from "./laboratory.ts";
import { isPiped, readText, standardInput } from "./read-text.ts";
import { didYouMean, suggestion } from "./suggestion.ts";
import { shellWord } from "./terminal/shell-word.ts";
import { unseen } from "./views/trust-view.ts";

/** A plan, the file that it is from, and the result of reading it. */
export interface FoundPlan {
  readonly plan: TaskData;
  readonly source: string;
  readonly reading: PlanReading;
  /** Tasks of a workload's file without a duration, which have the mean of the others. */
  readonly filledIn?: FilledIn;
}

export interface FilledIn {
  readonly tasks: number;
  readonly ms: number;
}

/** The plan or the goal that the words of a command mean. */
export type Target =
  | ({ readonly kind: "plan" } & FoundPlan)
  | { readonly kind: "goal"; readonly goal: string | JobInput };

const MAX_JOB_BYTES = 1024 * 1024;
const MAX_PLAN_BYTES = 32 * 1024 * 1024;

/** A plan by file name or by unique prefix of a saved id. @param sought what else was looked for, for the error */
export async function findPlan(name: string, io: CliIo, sought = ""): Promise<FoundPlan> {
  const found = await tryPlan(name, io);
  if (found !== undefined) return found;
  const known = await knownIds(sought === "" ? ["plans"] : ["plans", "runs"], io);
  const files = looksLikeFile.test(name) ? await planFilesBeside(resolve(io.cwd, name)) : [];
  const meant = await didYouMean(files.length > 0 ? basename(name) : name, [...files, ...known.map(({ id }) => id)]);
  const what = `No ${sought}plan file and no saved plan called ${JSON.stringify(name)}.${meant}`;
  throw new CliError(sought === "" ? SharedErrorCode.PLAN_NOT_FOUND : CliErrorCode.NOT_FOUND, what, {
    hint: isSentence(name)
      ? `A goal is planned first: ${commandName(io)} plan ${shellWord(name)}`
      : `${commandName(io)} list shows ${sought === "" ? "the saved plans" : "what there is"}.`,
    details: { name },
  });
}

/** Words of a goal rather than the name of a file or an id. */
const isSentence = (name: string): boolean => /\S\s+\S/.test(name) && !/[/\\]|\.\w{2,5}$/.test(name);

/**
 * As `findPlan`, of a plan that is to be drawn or grouped: one whose tasks have no order, or that has fields which may order its tasks and which nothing reads, is refused.
 * @throws CliError INVALID_PLAN, which names the file
 */
export async function findWholePlan(name: string, io: CliIo): Promise<FoundPlan> {
  const found = await findPlan(name, io);
  const { keptUnreadIssues, PlanError, planView } = await import("planloom/plan");
  const [lost] = keptUnreadIssues(found.plan.metadata);
  if (lost === undefined) {
    try {
      planView(found.plan);
    } catch (cause) {
      if (!(cause instanceof PlanError)) throw cause;
      const { message, details } = cause;
      throw new CliError(SharedErrorCode.INVALID_PLAN, `${found.source}: ${message}`, { details, cause });
    }
    return found;
  }
  throw new CliError(SharedErrorCode.INVALID_PLAN, `${found.source}: ${lost.message}`, { details: { issues: [lost] } });
}

/**
 * A plan where there is one, else a goal: anything of more than one word is taken as a sentence. "-" is what is piped in: a plan, or the words
 * of a goal.
 */
export async function findTarget(words: readonly string[], job: string | undefined, io: CliIo): Promise<Target> {
  if (job !== undefined) {
    if (words.length > 0) throw new CliError(CliErrorCode.USAGE, "Give either --job FILE or a goal, not both.");
    return { kind: "goal", goal: await readJob(job, io) };
  }
  const text = words.join(" ");
  if (words.length === 1 && isPiped(text)) return await pipedTarget(io);
  if (words.length === 1) {
    const found = await tryPlan(text, io);
    if (found !== undefined) return { kind: "plan", ...found };
    if (looksLikeFile.test(text)) {
      const meant = await didYouMean(basename(text), await planFilesBeside(resolve(io.cwd, text)));
      throw new CliError(CliErrorCode.NOT_FOUND, `No plan file ${resolve(io.cwd, text)}.${meant}`, {
        details: { name: text },
      });
    }
    // A goal of one word is rare; one that is nearly the id of a saved plan is that id, mistyped.
    const meant = await suggestion(
      text,
      (await knownIds(["plans"], io)).map(({ id }) => id),
    );
    if (meant !== undefined && /[-_\d]/.test(text)) {
      const message = `No plan file and no saved plan called ${JSON.stringify(text)}. Did you mean ${JSON.stringify(meant)}?`;
      throw new CliError(CliErrorCode.NOT_FOUND, message, {
        hint: "A goal has more than one word.",
        details: { name: text, meant },
      });
    }
  }
  return { kind: "goal", goal: text };
}

/** One word with an extension (`plan.json`, and `plan.jso` too) or a path. */
const looksLikeFile = /^\S*\.\p{L}\w{1,4}$|^\.{0,2}[/\\]\S*$/u;

async function planFilesBeside(file: string): Promise<string[]> {
  const names = await readdir(dirname(file)).catch(() => []);
  return names.filter((name) => /\.(json|ya?ml)$/i.test(name));
}

async function pipedTarget(io: CliIo): Promise<Target> {
  const text = await readText("-", "a plan", MAX_PLAN_BYTES, io);
  if (!startsAsJson.test(text) && !listsRecords(text)) return { kind: "goal", goal: text.trim() };
  const found = await readPipedPlan(text);
  // Another program wrote it: nobody has seen it, as it is with the plan of a goal.
  return { kind: "plan", ...found, plan: unseen(found.plan) };
}

/** JSON, a code fence, or a plan in tags. */
const startsAsJson = /^\uFEFF?\s*(?:[{[]|```|<\w)/;
/** YAML of a plan begins with a name and has a list of records. The words of a goal have no such lines. */
const listsRecords = (text: string) => /^\uFEFF?\s*(?:#|---|[\w-]+:)/.test(text) && /^ *- +[\w-]+:/m.test(text);

async function readPipedPlan(text: string): Promise<FoundPlan> {
  const { parsePlanText } = await import("planloom/plan");
  let reading: PlanReading = { dialect: "", issues: [] };
  const plan = parsePlanText(text, {
    format: startsAsJson.test(text) ? "json" : "yaml",
    onRead: (read) => {
      reading = read;
    },
  });
  return { plan, source: standardInput, reading };
}

async function tryPlan(name: string, io: CliIo): Promise<FoundPlan | undefined> {
  if (isPiped(name)) return await readPipedPlan(await readText(name, "a plan", MAX_PLAN_BYTES, io));
  if (name === "" || name.includes("\0") || name.length > 1_000) return undefined;
  const file = resolve(io.cwd, name);
  const isFile = await stat(file).then(
    (entry) => entry.isFile(),
    () => false,
  );
  if (isFile) return readPlanFile(file, io);
  const saved = await findSavedPlan(io, name);
  return saved === undefined ? undefined : readPlanFile(saved.file ?? "", io);
}

async function readPlanFile(source: string, io: CliIo): Promise<FoundPlan> {
  const { loadPlan } = await import("planloom/planning");
  let reading: PlanReading | undefined;
  const plan = await loadPlan(source, {
    signal: io.signal,
    onRead: (read) => {
      reading = read;
    },
  }).catch((error: unknown) => error);
  // Formats that other laboratories measure on look like a plan, or like none: they have tasks under names that nothing else reads.
  const isOurs = !(plan instanceof Error) && (reading?.issues.length ?? 0) === 0;
  const workload = isOurs
    ? undefined
    : await readWorkloadFile(source, io.signal).catch((error: unknown) => {
        // What is in no format of workloads is not a plan either, which the other error says better.
        throw plan instanceof Error && /\.(json|txt)$/.test(source) && isInNoFormat(error) ? plan : error;
      });
  if (workload !== undefined) {
    const { plan, filledIn } = workload;
    const reading = { dialect: "plan-workload", issues: [] };
    return { plan, source, reading, ...(filledIn !== undefined && { filledIn }) };
  }
  if (plan instanceof Error) throw plan;
  return { plan: plan as TaskData, source, reading: reading ?? { dialect: "", issues: [] } };
}

const isInNoFormat = (error: unknown): boolean =>
  error instanceof Error && "details" in error && Object.hasOwn(Object(error.details), "formats");

/**
 * The plan of a file in one of the formats of workloads; `undefined` for any other, and where the laboratory, which reads them, is not installed.
 * @throws CliError CONFIG for a file of several plans
 */
async function readWorkloadFile(file: string, signal: AbortSignal): Promise<WorkloadPlan | undefined> {
  // The package is not loaded for plans in YAML.
  if (/\.ya?ml$/i.test(file) || !(await hasLaboratory())) return undefined;
  const { isWorkloadFile, loadWorkloadPlans } = await loadLaboratory();
  if (!isWorkloadFile(file)) return undefined;
  const plans = await loadWorkloadPlans(file, { signal });
  if (plans === undefined || plans.length === 1) return plans?.[0];
  throw new CliError(CliErrorCode.CONFIG, `${file} holds ${plans.length} plans, not one.`, {
    hint: "planloom bench measures on all of them.",
    details: { file, plans: plans.length },
  });
}

async function readJob(name: string, io: CliIo): Promise<JobInput> {
  const file = isPiped(name) ? standardInput : resolve(io.cwd, name);
  let text: string;
  try {
    text = await readText(name, "a job", MAX_JOB_BYTES, io);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(CliErrorCode.NOT_FOUND, `No job file ${file}.`, { details: { name }, cause });
  }
  const [{ parse }, { Job }] = await Promise.all([import("yaml"), import("planloom/planning")]);
  try {
    const read = Job.safeParse(parse(text, { maxAliasCount: 100 }));
    if (read.success) return read.data;
    const [first] = read.error.issues;
    throw new CliError(
      CliErrorCode.CONFIG,
      `${file} is not a job: ${first?.path.join(".") || "(root)"}: ${first?.message}`,
      {
        hint: "A job has job_goal, and may have job_objectives and job_steerability_data.",
      },
    );
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(CliErrorCode.CONFIG, `${file} cannot be read as YAML or JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

import { isRecord, type TaskData } from "@planloom/plan";
import { checkKeys, checkRecord } from "../check-keys.ts";
import { checkOptions } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { checkDistribution, type Distribution } from "./distribution.ts";
import { FlowHistory } from "./flow-history.ts";

/** How the calls of a resource, or the attempts of a task, turn out. */
export interface Behaviour {
  readonly duration?: Distribution;
  /** Chance that one attempt fails, 0 to 1. */
  readonly failureProbability?: number;
  /** How many elements the lists of tasks with `for_each` had. */
  readonly items?: readonly number[];
  /** How long tasks with `wait` or `retry_until` waited, in milliseconds; drawn from these. */
  readonly waitMs?: readonly number[];
  /** The chance that the condition of a task with `when` holds, 0 to 1. */
  readonly runProbability?: number;
  /** How often each branch of a task with `choose` was taken, by name. */
  readonly branches?: Readonly<Record<string, number>>;
}

export interface Behaviours {
  /** By id of the resource. */
  readonly resources?: Readonly<Record<string, Behaviour>>;
  /** By task id; before `resources`. */
  readonly tasks?: Readonly<Record<string, Behaviour>>;
}

/** @throws RuntimeError INVALID_OPTION */
export function checkBehaviours(behaviours: Behaviours | undefined): void {
  checkKeys("behaviours", behaviours, ["resources", "tasks"]);
  for (const [sort, named] of Object.entries(behaviours ?? {})) {
    checkRecord(`behaviours.${sort}`, named);
    for (const [id, behaviour] of Object.entries((named ?? {}) as Readonly<Record<string, Behaviour>>)) {
      const option = `behaviours.${sort}.${id}`;
      checkKeys(option, behaviour, ["duration", "failureProbability", "items", "waitMs", "runProbability", "branches"]);
      const { duration, failureProbability: chance = 0, items, waitMs, runProbability = 0, branches } = behaviour;
      if (duration !== undefined) checkDistribution(`${option}.duration`, duration);
      if (!(chance >= 0 && chance <= 1)) throw invalid(`${option}.failureProbability`, "a number from 0 to 1", chance);
      if (!(runProbability >= 0 && runProbability <= 1))
        throw invalid(`${option}.runProbability`, "a number from 0 to 1", runProbability);
      if (items !== undefined && !isNumbers(items)) throw invalid(`${option}.items`, aListOfNumbers, items);
      if (waitMs !== undefined && !isNumbers(waitMs)) throw invalid(`${option}.waitMs`, aListOfNumbers, waitMs);
      if (branches !== undefined && !(isRecord(branches) && isNumbers(Object.values(branches))))
        throw invalid(`${option}.branches`, "numbers of at least 0 by name, not empty", branches);
    }
  }
}

const aListOfNumbers = "a list of numbers of at least 0, not empty";

function isNumbers(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((each) => Number.isFinite(each) && each >= 0);
}

/** More samples say no more. */
const mostSamples = 10_000;

/**
 * What the runs of a journal say about each resource: the durations of its attempts and how many of them failed.
 * @param options.runs the newest so many are looked at. @default 50
 * @param options.maxTasks runs of more tasks are passed over: reading them takes longer than it helps. @default Infinity
 * @param options.plan lists, conditions and decisions of this plan are looked for in the plans of the runs, by what they do and not by their ids. @default none
 */
export async function learnBehaviours(
  given: Journal,
  options: {
    readonly runs?: number;
    readonly maxTasks?: number;
    readonly plan?: TaskData | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<Behaviours> {
  checkOptions("`learnBehaviours`", options, { runs: "count", maxTasks: "count", plan: "object", signal: "signal" });
  const { runs = 50, maxTasks = Number.POSITIVE_INFINITY, plan, signal } = options;
  const flow = plan && FlowHistory.of(plan);
  const journal = guardJournal(given);
  const seen = new Map<string, { ms: number[]; attempts: number; failed: number }>();
  for (const { run_id, tasks } of await journal.listRuns({ limit: runs })) {
    if (tasks > maxTasks) continue;
    signal?.throwIfAborted();
    const records = await journal.getTasks(run_id, { outputs: "small" });
    if (flow !== undefined) {
      const { plan: executed, created_at } = await journal.getRun(run_id);
      flow.note(executed, records, Date.parse(created_at));
    }
    for (const { uid, status, attempts, duration_ms } of records) {
      if (uid === undefined || attempts === 0) continue;
      const of = seen.get(uid) ?? { ms: [], attempts: 0, failed: 0 };
      seen.set(uid, of);
      if (of.ms.length < mostSamples) of.ms.push(duration_ms / attempts);
      of.attempts += attempts;
      of.failed += status === "completed" ? attempts - 1 : attempts;
    }
  }
  const learnt = [...seen].map(([uid, { ms, attempts, failed }]): [string, Behaviour] => {
    return [uid, { duration: { type: "samples", ms }, failureProbability: failed / attempts }];
  });
  return { resources: Object.fromEntries(learnt), ...(flow !== undefined && { tasks: flow.behaviours() }) };
}

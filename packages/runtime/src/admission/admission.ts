import {
  type EstimateData,
  isCallbackError,
  type PlannerTask,
  type Resource,
  resourcePin,
  type TaskData,
} from "@planloom/plan";
import type { Registry } from "../executors/registry.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { TaskRecord, TaskUsage } from "../journal/journal.ts";
import { resourceKeys } from "../make-limits.ts";
import { nothing } from "../ports/amounts.ts";
import type { BudgetOptions } from "../ports/budget.ts";
import type { GuardPolicy } from "../ports/guard-policy.ts";
import { type RateLimit, TokenBucket } from "../ports/token-bucket.ts";
import {
  type Account,
  charge,
  need,
  openAccount,
  type Reservation,
  type ReserveAnswer,
  reserve,
  settle,
  untilWindowEndsMs,
} from "../shared-limits/budget-accounts.ts";
import type { SharedRun } from "../shared-limits/shared-run.ts";
import { type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import { callNeeds, type SeenUse } from "./call-needs.ts";
import { GroundedNumbers } from "./grounded-numbers.ts";
import { blocked, GuardCounter } from "./guard-counter.ts";
import { RunawayGuard } from "./runaway-guard.ts";

export interface AdmissionOptions {
  readonly budgets: BudgetOptions | undefined;
  readonly guards: GuardPolicy | undefined;
  readonly maxRepeats: number;
  /** By id of the resource. */
  readonly rates: ReadonlyMap<string, RateLimit>;
  /** The limits that the run shares with other runs. */
  readonly shared?: SharedRun | undefined;
}

/** A call that is about to be made. */
export interface CallRequest {
  readonly prepared: PreparedStep;
  /** 1 for the first. */
  readonly attempt: number;
  /** Whether the task belongs to a nested plan rather than to the run's own. */
  readonly nested: boolean;
  /** The task of the outermost plan that it is made for. */
  readonly outerTaskId: string;
}

export type AdmissionAnswer =
  /** `seconds`: how long it may take until more must be reserved; absent where time is not limited. */
  | { readonly type: "go"; readonly reservation?: Reservation; readonly seconds?: number }
  /** Must not be made: the task fails. */
  | { readonly type: "blocked"; readonly error: TaskError }
  /** No budget is left for it: the task is skipped. */
  | { readonly type: "refused"; readonly error: TaskError }
  /** Ask again when woken; `wake` says whether anybody still waits. */
  | { readonly type: "wait"; readonly wait: (wake: () => boolean) => void };

const go = { type: "go" } as const;

/**
 * Decides whether calls may be made, by the rates, guards and budgets of a run and of all runs nested in it. It checks and reserves in one
 * step, so that calls at the same time cannot exceed a limit.
 */
export class Admission {
  /** False when only repeated calls are limited. */
  readonly active: boolean;
  /** Slots and rates that the run shares with others; its budgets with them are asked for here. */
  readonly shared: SharedRun | undefined;
  readonly #known: Registry;
  readonly #runaway: RunawayGuard;
  readonly #guards: GuardCounter | undefined;
  readonly #numbers: GroundedNumbers | undefined;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #run: Account | undefined;
  readonly #bySubgraph = new Map<string, Account>();
  readonly #byResource = new Map<string, Account>();
  readonly #subgraphOf: ReadonlyMap<string, string>;
  readonly #seen = new Map<string, SeenUse>();
  readonly #trustPlan: boolean;

  /** @param subgraphOf id of each task's subgraph; tasks may be added to it during the run */
  constructor(
    options: AdmissionOptions,
    known: Registry,
    plan: TaskData,
    subgraphOf: ReadonlyMap<string, string> = new Map(),
  ) {
    const { budgets, guards, rates } = options;
    this.#known = known;
    this.shared = options.shared;
    this.#trustPlan = budgets?.trustPlanEstimates === true;
    this.#runaway = new RunawayGuard(options.maxRepeats);
    if (guards?.groundedNumbers) {
      this.#numbers = new GroundedNumbers();
      this.#numbers.add([plan.task_input_data, plan.original_job_data, plan.variables]);
    }
    this.#guards = guards && new GuardCounter(withKeys(guards, known), (input) => this.#numbers?.findUngrounded(input));
    for (const [id, rate] of rates) {
      for (const key of resourceKeys(id, known)) this.#buckets.set(key, new TokenBucket(rate));
    }
    this.#run = budgets?.run && openAccount("the run", budgets.run);
    this.#subgraphOf = subgraphOf;
    this.#openAccounts(budgets);
    this.active = guards !== undefined || this.#buckets.size > 0 || this.#hasBudgets;
  }

  /** True when what tasks use must be kept, so that a resumed run counts it. */
  get countsUsage(): boolean {
    return this.#hasOwnBudgets || this.#guards !== undefined;
  }

  /** True when model calls that are made for a task or the plan have to be asked for. */
  get paysForModelCalls(): boolean {
    return this.#hasBudgets || this.#guards !== undefined;
  }

  /** True when a guard lets inputs hold only numbers that are known from the goal, variables, inputs or outputs. */
  get learns(): boolean {
    return this.#numbers !== undefined;
  }

  /** A function of the user's that cannot be asked what a call may use lets nothing through: the call is blocked. */
  admit(request: CallRequest): AdmissionAnswer {
    try {
      return this.#admit(request);
    } catch (error) {
      if (!isCallbackError(error)) throw error;
      return { type: "blocked", error: taskErrorFrom(error) };
    }
  }

  #admit(request: CallRequest): AdmissionAnswer {
    const { prepared, attempt, nested } = request;
    const { resource, step, task } = prepared;
    const key = `${resource.kind}:${resource.id}`;
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined && bucket.untilNextMs() > 0) return { type: "wait", wait: (wake) => bucket.wait(wake) };
    const call = { resource, input: step.input_data, taskId: task.task_id };
    const objection = this.#guards?.check(call);
    if (objection !== undefined) return { type: "blocked", error: objection };
    const answer = this.#reserve(prepared, key, request.outerTaskId);
    if (answer !== undefined && answer.type !== "go") return answer;
    if ((nested || attempt > 1) && !this.#runaway.allows(key, step.input_data)) {
      if (answer?.reservation !== undefined) releaseUnused(answer.reservation);
      const why = `${resource.kind} "${resource.id}" was called again and again with the same input; see maxRepeats`;
      return { type: "blocked", error: blocked("runaway", why) };
    }
    this.#guards?.count(resource);
    bucket?.take();
    return answer ?? go;
  }

  /** A model call of Stage 2 for a task of the outermost plan, or within one; without a task, one for the plan as a whole. */
  admitModelCall(outerTaskId: string | undefined, estimate: EstimateData | undefined): AdmissionAnswer {
    const accounts = this.#accounts("", outerTaskId);
    if (accounts.length === 0) return go;
    const { tokens, cost, duration_ms = 0 } = estimate ?? {};
    return answerTo(
      reserve(accounts, { calls: need(1), tokens: need(tokens), cost: need(cost), seconds: need(duration_ms / 1_000) }),
      undefined,
    );
  }

  /** Notes what a call of the resource has used so far. From now on its calls reserve that much, or all that is left where there is no estimate. */
  noteUse({ kind, id }: Resource, tokens: number, cost: number): void {
    if (!this.#hasBudgets || (tokens === 0 && cost === 0)) return;
    const key = `${kind}:${id}`;
    const before = this.#seen.get(key);
    this.#seen.set(key, { tokens: Math.max(tokens, before?.tokens ?? 0), cost: Math.max(cost, before?.cost ?? 0) });
  }

  /** A call that was admitted will be made again, and count then. */
  withdraw({ resource, step }: PreparedStep, { attempt, nested }: Pick<CallRequest, "attempt" | "nested">): void {
    this.#guards?.count(resource, -1);
    if (nested || attempt > 1) this.#runaway.forget(`${resource.kind}:${resource.id}`, step.input_data);
  }

  /** Values that inputs may take numbers from. */
  learn(value: unknown): void {
    this.#numbers?.add(value);
  }

  /** Counts what a task used in earlier sessions. */
  restore(task: PlannerTask, record: TaskRecord): void {
    this.#restore(task.task_id, this.#resourceOf(task, record.uid), record);
  }

  #restore(outerTaskId: string, resource: Resource | undefined, record: TaskRecord): void {
    if (!this.countsUsage) return;
    const used: TaskUsage = record.usage ?? {
      ...nothing(),
      calls: record.attempts,
      seconds: record.duration_ms / 1_000,
    };
    const key = resource === undefined ? "" : `${resource.kind}:${resource.id}`;
    for (const account of this.#ownAccounts(key, outerTaskId)) charge(account, used);
    if (resource !== undefined && used.calls > 0) this.#guards?.count(resource, used.calls);
  }

  /** The same for a task of a nested plan, which pays for itself. */
  restoreNested(outerTaskId: string, record: TaskRecord): void {
    if (record.uid === undefined) return;
    this.#restore(outerTaskId, this.#resourceOf(undefined, record.uid), record);
  }

  /** A model call of an earlier session, made for the plan as a whole. */
  restoreModelCall(used: TaskUsage): void {
    for (const account of this.#ownAccounts("", undefined)) charge(account, used);
  }

  /** Stops its timers. */
  close(): void {
    for (const bucket of this.#buckets.values()) bucket.close();
  }

  get #hasBudgets(): boolean {
    return this.#hasOwnBudgets || this.shared?.hasBudgets === true;
  }

  get #hasOwnBudgets(): boolean {
    return this.#run !== undefined || this.#bySubgraph.size > 0 || this.#byResource.size > 0;
  }

  #openAccounts(budgets: BudgetOptions | undefined): void {
    for (const [id, budget] of Object.entries(budgets?.subgraphs ?? {})) {
      this.#bySubgraph.set(id, openAccount(`subgraph "${id}"`, budget));
    }
    for (const [id, budget] of Object.entries(budgets?.resources ?? {})) {
      const account = openAccount(`"${id}"`, budget);
      for (const key of resourceKeys(id, this.#known)) this.#byResource.set(key, account);
    }
  }

  #reserve(
    prepared: PreparedStep,
    key: string,
    outerTaskId: string,
  ): Exclude<AdmissionAnswer, { type: "blocked" }> | undefined {
    if (!this.#hasBudgets) return undefined;
    const accounts = this.#accounts(key, outerTaskId);
    if (accounts.length === 0) return undefined;
    const wanted = callNeeds(prepared, accounts, this.#seen.get(key), this.#trustPlan);
    const timed = accounts.some(({ limit }) => limit.seconds < Number.POSITIVE_INFINITY);
    return answerTo(reserve(accounts, wanted), timed ? wanted.seconds.least : undefined);
  }

  #accounts(key: string, outerTaskId: string | undefined): Account[] {
    const own = this.#ownAccounts(key, outerTaskId);
    return this.shared === undefined ? own : [...own, ...this.shared.accounts(key)];
  }

  /** Without those that the run shares with others: what earlier sessions spent was charged there when it was spent. */
  #ownAccounts(key: string, outerTaskId: string | undefined): Account[] {
    const subgraph = outerTaskId === undefined ? undefined : this.#subgraphOf.get(outerTaskId);
    const all = [this.#run, subgraph && this.#bySubgraph.get(subgraph), this.#byResource.get(key)];
    return all.filter((account): account is Account => typeof account === "object");
  }

  #resourceOf(task: PlannerTask | undefined, uid: string | undefined): Resource | undefined {
    if (uid === undefined) return undefined;
    const pinned = task && resourcePin(task).kind;
    const kind = pinned ?? this.#known.catalogue.kindsOf(uid)[0];
    return kind && this.#known.find(kind, uid)?.resource;
  }
}

/** @param seconds how much of the time is reserved, where time is limited. */
function answerTo(answer: ReserveAnswer, seconds: number | undefined): Exclude<AdmissionAnswer, { type: "blocked" }> {
  switch (answer.type) {
    case "reserved": {
      const { reservation } = answer;
      return seconds === undefined ? { type: "go", reservation } : { type: "go", reservation, seconds };
    }
    case "wait":
      return {
        type: "wait",
        wait: (wake) => {
          answer.account.waiting.add(wake);
          answer.account.elsewhere?.touch();
        },
      };
    case "refused":
      // Others that wait for the same account may be refused as well.
      answer.account.waiting.wake(1);
      return { type: "refused", error: refusal(answer) };
    default:
      return answer satisfies never;
  }
}

function refusal({ account, unit, wanted }: Extract<ReserveAnswer, { type: "refused" }>): TaskError {
  const spent = account.spent[unit];
  const limit = account.limit[unit];
  const resetsInMs = untilWindowEndsMs(account);
  const cure =
    resetsInMs === undefined
      ? " Resume the run with a larger one (`budgets`)."
      : ` The next window begins in ${Math.ceil(resetsInMs)} ms.`;
  const message = `The budget of ${account.name} is used up: ${spent} of ${limit} ${unit} are spent, and the call may need ${wanted}.${cure}`;
  const details = { budget: account.name, unit, limit, spent, wanted };
  return taskError(TaskErrorCode.BUDGET, message, {
    ...details,
    ...(resetsInMs !== undefined && { resets_in_ms: Math.ceil(resetsInMs) }),
  });
}

/** A reservation for a call that is not made after all. */
export function releaseUnused(reservation: Reservation): void {
  settle(reservation, nothing());
}

/** Caps by `kind:uid`, where the policy has ids as tasks may write them. */
function withKeys({ tools = {}, ...policy }: GuardPolicy, known: Registry): GuardPolicy {
  const caps = Object.entries(tools).flatMap(([id, cap]) => resourceKeys(id, known).map((key) => [key, cap] as const));
  return { ...policy, tools: Object.fromEntries(caps) };
}

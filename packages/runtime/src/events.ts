import type { ExecutionKind, PlanIssue, PlannerTask } from "@planloom/plan";
import type { ReplanCause } from "./ports/stored-revision.ts";
import type { WaitView } from "./ports/wait-view.ts";
import type { TaskError } from "./task-error.ts";

/**
 * Why a run ended. `completed`: no task failed (some may have been skipped as unavailable). `failed`: some task failed, all
 * that did not need it finished. `cancelled`: it was cancelled by `cancelRun`, or its signal was aborted. `drained`: nothing more was started,
 * and running calls ended by themselves. `shut_down`: the program that ran it shut down, and aborted the calls that ran.
 * `waiting_approval`: nothing can continue until a person
 * has answered. `waiting`: nothing can continue until a time or a signal has come. `budget`: some task could not start within its budget, all others ended. `denied`: a person said no, and
 * nothing failed. `round_limit`: a task failed, and `maxReplans` were used up. `stalled`: a task failed, and what replans
 * put in the place of failed ones kept failing; or tasks could not start, since abandoned attempts hold all slots of a limit.
 */
export type EndReason =
  | "completed"
  | "failed"
  | "cancelled"
  | "drained"
  | "shut_down"
  | "waiting_approval"
  | "waiting"
  | "budget"
  | "denied"
  | "round_limit"
  | "stalled";

/**
 * Why a plan was not changed. `unchanged`: there was nothing to change. `refused`: no valid patch was proposed. `failed`: `replan` threw, or took
 * too long. `budget`: nothing was left for a model call. `round_limit`, `stalled`: `replan` was not called, see `EndReason`.
 * `cancelled`: the run was.
 */
export type PatchRefusal = "unchanged" | "refused" | "failed" | "budget" | "round_limit" | "stalled" | "cancelled";

interface Common {
  readonly runId: string;
  /**
   * 0 for the first event of a run, then one more for each; a resumed run continues the numbers. After a crash, when the number of the last
   * event is unknown, the next session continues with a number that is higher than any that can have been used.
   */
  readonly seq: number;
  /** Milliseconds since the run, or its resumption, began. */
  readonly at: number;
  /** When it happened: milliseconds since the epoch, by the clock that the session began with. */
  readonly timestamp: number;
}

/** What happens in a run, in order. Plain JSON. */
export type RunEvent = Common &
  (
    | {
        readonly type: "run-start";
        readonly planId: string;
        readonly tasks: number;
        /** Tasks that ended in an earlier session, and are not run again. */
        readonly recorded: number;
        /** What the planner of the plan noted, such as parts of the goal that it left open; absent where it noted nothing. */
        readonly planIssues?: readonly PlanIssue[];
        /** The W3C trace context of a resumed run that was begun in a trace. */
        readonly begunIn?: Readonly<Record<string, string>>;
      }
    | { readonly type: "task-start"; readonly taskId: string; readonly attempt: number; readonly uid?: string }
    | { readonly type: "task-progress"; readonly taskId: string; readonly attempt: number; readonly progress: unknown }
    | {
        readonly type: "task-retry";
        readonly taskId: string;
        /** The attempt that failed. */
        readonly attempt: number;
        readonly delayMs: number;
        readonly error: TaskError;
      }
    | {
        readonly type: "task-end";
        readonly taskId: string;
        readonly attempts: number;
        readonly durationMs: number;
        readonly output: unknown;
      }
    | { readonly type: "task-error"; readonly taskId: string; readonly attempts: number; readonly error: TaskError }
    | {
        readonly type: "task-skip";
        readonly taskId: string;
        /** The task whose failure or absence this is due to; absent when the task's own resource is unavailable. */
        readonly because?: string;
        readonly error: TaskError;
      }
    | {
        readonly type: "task-waiting";
        readonly taskId: string;
        /** What an answer is bound to: SHA-256 over plan content, resource and input. */
        readonly contentHash: string;
        /** Absent, as all below, where something in the task waits: the calls that do are in the task's error. */
        readonly kind?: ExecutionKind;
        readonly uid?: string;
        /** Exactly what the executor gets after a yes: references, `convertor_code` and Stage 2 are done. */
        readonly input?: Readonly<Record<string, unknown>>;
        /** The task's parameters with references resolved, where it has any. */
        readonly parameters?: Readonly<Record<string, unknown>>;
        /** The expression that made the input of the task's arguments. */
        readonly convertorCode?: string;
        /** The call is made again until the condition holds, as often as it says; a yes is one to all of these calls. */
        readonly retryUntil?: NonNullable<PlannerTask["retry_until"]>;
        /** The plan's revision; absent where the plan was never changed. */
        readonly revision?: string;
      }
    | {
        /** The task sleeps until a time or a signal has come. */
        readonly type: "task-wait";
        readonly taskId: string;
        /** Absent where something in the task waits. */
        readonly wait?: WaitView;
      }
    | {
        readonly type: "task-approve";
        readonly taskId: string;
        readonly answer: "approve" | "deny";
        readonly by?: string;
        readonly note?: string;
      }
    | {
        /** `replan` is asked for new tasks that replace these. Tasks that do not depend on them continue. */
        readonly type: "patch-request";
        readonly taskIds: readonly string[];
        /** These may be replaced as well, or stay; absent if there are none. `taskIds` is empty where the reason is not a task, but a resource, say. */
        readonly optionalTaskIds?: readonly string[];
        readonly causes: readonly {
          readonly task_id: string;
          readonly cause: ReplanCause;
          readonly message?: string;
        }[];
        /** How many there were in this run, this one included. */
        readonly replan: number;
      }
    | {
        /** The plan is changed. The event comes before any of the new tasks runs. */
        readonly type: "patch-apply";
        readonly revision: string;
        readonly base: string;
        readonly replaced: readonly { readonly task_id: string; readonly replaced_by: readonly string[] }[];
        /** Tasks that had consumed what was replaced, and are done again under a new id. */
        readonly renewed: readonly { readonly task_id: string; readonly new_task_id: string }[];
        readonly added: readonly PlannerTask[];
        readonly reason?: string;
      }
    | {
        /** The plan stays as it is: nothing was to be changed, nothing valid was proposed, or no more is allowed. */
        readonly type: "patch-refuse";
        readonly taskIds: readonly string[];
        readonly code: PatchRefusal;
        readonly message: string;
      }
    | {
        /** Tasks of a subgraph that is not dispatched yet go by themselves, since durations were not as estimated (`adaptiveDispatch`). */
        readonly type: "subgraph-split";
        readonly subgraphId: string;
        readonly newSubgraphId: string;
        /** Of the new subgraph; the others stay. */
        readonly taskIds: readonly string[];
        /** `waiting`: they could start, and the others wait for what takes longer than estimated. `idle`: an executor had nothing to do. */
        readonly why: "waiting" | "idle";
      }
    | { readonly type: "run-end"; readonly endReason: EndReason; readonly achievedMs: number }
  );

type WithoutCommon<Event> = Event extends unknown ? Omit<Event, keyof Common> : never;
/** An event before the sink has numbered it. */
export type RunEventBody = WithoutCommon<RunEvent>;

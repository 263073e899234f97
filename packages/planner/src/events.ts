import type { ModelCall } from "@planloom/controller";
import { FaultLog, notify, type PlanIssue } from "@planloom/plan";

interface PlannerEventBase {
  /** The request's `search_id`; the same for all events of one plan or step. */
  readonly searchId: string;
  /** 0 for the first event of a plan or step. */
  readonly seq: number;
  /** Milliseconds since the plan or step was begun. */
  readonly at: number;
  /** When it happened: milliseconds since the epoch. */
  readonly timestamp: number;
}

/** The result of one attempt. Without an issue of severity `error` it was accepted. */
interface AttemptFacts {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly issues: readonly PlanIssue[];
  /** Model calls made for this attempt, for the journal and the bill. */
  readonly calls: readonly ModelCall[];
  /** Requests that it took of `maxAttempts`, which they use up together: retries of the connection and refused forms count. */
  readonly requests: number;
  readonly durationMs: number;
}

/** Everything a planner says of its work; plain JSON. Stage 1: `plan-*`, Stage 2: `bind-*`; of replans: `replan-*`. */
export type PlannerEvent =
  | (PlannerEventBase & { readonly type: "plan-start"; readonly goal: string; readonly controller: string })
  | (PlannerEventBase & AttemptFacts & { readonly type: "plan-attempt" })
  | (PlannerEventBase & { readonly type: "plan-end"; readonly planId: string; readonly tasks: number })
  | (PlannerEventBase & { readonly type: "plan-error"; readonly code: string; readonly message: string })
  | (PlannerEventBase & { readonly type: "bind-start"; readonly taskId: string; readonly controller: string })
  | (PlannerEventBase & AttemptFacts & { readonly type: "bind-attempt"; readonly taskId: string })
  | (PlannerEventBase & { readonly type: "bind-end"; readonly taskId: string; readonly uid: string })
  | (PlannerEventBase & {
      readonly type: "bind-error";
      readonly taskId: string;
      readonly code: string;
      readonly message: string;
    })
  | (PlannerEventBase & {
      readonly type: "replan-start";
      readonly planId: string;
      /** The marked tasks. */
      readonly taskIds: readonly string[];
      readonly controller: string;
    })
  | (PlannerEventBase & AttemptFacts & { readonly type: "replan-attempt" })
  | (PlannerEventBase & {
      readonly type: "replan-end";
      readonly planId: string;
      /** Absent when nothing needed to be changed. */
      readonly patchId?: string;
      /** New tasks. */
      readonly tasks: number;
    })
  | (PlannerEventBase & {
      readonly type: "replan-error";
      readonly planId: string;
      readonly code: string;
      readonly message: string;
    });

type WithoutBase<Event> = Event extends PlannerEvent ? Omit<Event, keyof PlannerEventBase> : never;

/** Numbers and times the events of one plan or step; a listener's fault stays its own. */
export function eventSource(
  searchId: string,
  onEvent: ((event: PlannerEvent) => void) | undefined,
): (event: WithoutBase<PlannerEvent>) => void {
  const started = performance.now();
  const began = Date.now();
  const faults = new FaultLog();
  let seq = 0;
  return (body) => {
    const at = Math.round(performance.now() - started);
    const event = { ...body, searchId, seq: seq++, at, timestamp: began + at } as PlannerEvent;
    if (onEvent !== undefined) notify(onEvent, event, (error) => faults.report("onEvent", error));
  };
}

import type { BegunCall } from "../journal/journal.ts";
import type { TaskReport } from "./port/dispatcher.ts";

/** Start and end of attempts; the end of one that still runs is 0. */
export type Spans = readonly (readonly [number, number])[];

/** What is known of a task whose executor is gone: its attempts, and what they may have used at most. */
export interface CutOff extends Pick<TaskReport, "usage" | "spans"> {
  readonly attempts: number;
  /** What its own calls were of. */
  readonly uid?: string;
  /** As `spans`, in milliseconds since the run began. */
  readonly seen: Spans;
  /** A call of it, or of a task within it, was under way. */
  readonly inCall: boolean;
  /** What is noted of its own call that was under way. */
  readonly begun?: BegunCall;
  /** The same for its own call or one within it. */
  readonly doubted?: BegunCall;
}

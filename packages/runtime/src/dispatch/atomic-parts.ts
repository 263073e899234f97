import type { TaskData } from "@planloom/plan";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import type { DispatchContext, Dispatcher, DispatchReply, DispatchRequest } from "./port/dispatcher.ts";
import type { Quotient } from "./quotient.ts";
import type { AdaptivePlan } from "./read-adaptive.ts";
import type { ReportSink } from "./report-writer.ts";

/** What dispatching subgraphs whole needs beside the parts of every run. */
export interface AtomicParts extends ShellParts {
  readonly plan: TaskData;
  readonly quotient: Quotient;
  /** Whether a subgraph may go as soon as the outputs are there that its tasks read. */
  readonly isPipelined: boolean;
  /** Undefined where subgraphs are dispatched as they are given. */
  readonly adaptive: AdaptivePlan | undefined;
  readonly dispatcher: Dispatcher;
  /** @param halted returns true where nothing more may start. */
  runHere(
    request: DispatchRequest,
    context: Pick<DispatchContext, "signal" | "onEvent">,
    reports: ReportSink,
    halted: () => boolean,
  ): Promise<DispatchReply>;
}

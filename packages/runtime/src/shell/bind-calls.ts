import type { RecordedCall } from "@planloom/plan";
import { type CallPermit, permitOf, reservedBy } from "../admission/call-permit.ts";
import type { TaskUsage } from "../journal/journal.ts";
import type { TaskError } from "../task-error.ts";
import { admittedModelCall, PaidCalls } from "./paid-calls.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskLedger } from "./task-ledger.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** The model calls of Stage 2 for one task, kept in the journal. */
export function bindCalls(
  parts: ShellParts,
  task: number,
  ledger: TaskLedger,
  usage: UsageCounter,
  signal: () => AbortSignal,
): PaidCalls {
  const ask = async (): Promise<CallPermit | undefined | { readonly refused: TaskError }> => {
    const { admission, callDesk, outerTaskId, table, settings } = parts;
    if (!admission.paysForModelCalls && callDesk === undefined) return undefined;
    const outer = outerTaskId ?? table.tasks[task]!.task_id;
    const until = signal();
    if (callDesk !== undefined) {
      const answer = await callDesk.ask(ledger.asBindCall(task, outer, settings.bindEstimate), until);
      return answer.type === "go" ? answer.permit : { refused: answer.error };
    }
    const answer = await admittedModelCall(admission, outer, settings.bindEstimate, until);
    if (answer.type !== "go") return { refused: answer.error };
    await ledger.begin(task, reservedBy(answer.reservation));
    return answer.reservation && permitOf(answer.reservation, undefined);
  };
  return new PaidCalls({
    ask,
    made(call: RecordedCall, used: TaskUsage) {
      ledger.addUsage(task, used);
      usage.addCall(call.usage ?? {});
      ledger.record(task, "bind", call);
    },
  });
}

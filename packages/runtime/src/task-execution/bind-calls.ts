import type { RecordedCall } from "@planloom/plan";
import { type CallPermit, permitOf, reservedBy } from "../admission/call-permit.ts";
import type { TaskUsage } from "../journal/journal.ts";
import type { TaskError } from "../task-error.ts";
import { admittedModelCall, PaidCalls } from "./paid-calls.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskUsageRecorder } from "./task-usage-recorder.ts";
import type { UsageCounter } from "./usage-counter.ts";

type BindPermit = CallPermit | undefined | { readonly refused: TaskError };

/** The model calls of Stage 2 for one task, kept in the journal. */
export function bindCalls(
  parts: ShellParts,
  task: number,
  usageRecorder: TaskUsageRecorder,
  usage: UsageCounter,
  signal: () => AbortSignal,
): PaidCalls {
  const ask = async (): Promise<BindPermit> => {
    const { admission, host, table, settings } = parts;
    const outer = host.position.outerTaskOf(table.tasks[task]!.task_id);
    return host.rights.choose<Promise<BindPermit>>({
      async here() {
        if (!admission.paysForModelCalls) return undefined;
        const answer = await admittedModelCall(admission, outer, settings.bindEstimate, signal());
        if (answer.type !== "go") return { refused: answer.error };
        await usageRecorder.begin(task, reservedBy(answer.reservation));
        return answer.reservation && permitOf(answer.reservation, undefined);
      },
      async elsewhere(permits) {
        const answer = await permits.ask(usageRecorder.asBindCall(task, outer, settings.bindEstimate), signal());
        return answer.type === "go" ? answer.permit : { refused: answer.error };
      },
    });
  };
  return new PaidCalls({
    ask,
    made(call: RecordedCall, used: TaskUsage) {
      usageRecorder.addUsage(task, used);
      usage.addCall(call.usage ?? {});
      usageRecorder.record(task, "bind", call);
    },
  });
}

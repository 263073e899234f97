import { type BindOptions, checkUsage, type EstimateData, type RecordedCall } from "@planloom/plan";
import type { Admission, AdmissionAnswer } from "../admission/admission.ts";
import type { CallPermit } from "../admission/call-permit.ts";
import type { TaskUsage } from "../journal/journal.ts";
import { nothing } from "../ports/amounts.ts";
import { woken } from "../ports/wait-queue.ts";
import { type TaskError, TaskErrorCode, TaskFailure, taskError } from "../task-error.ts";

export interface PaidCallsParts {
  /** Asks for the right to one call. Gives the permit, undefined where calls are not counted, or the reason of a refusal. */
  ask(): Promise<CallPermit | undefined | { readonly refused: TaskError }>;
  /** A call was made. */
  made(call: RecordedCall, used: TaskUsage): void;
}

/** The model calls that a planner makes for a run: its budgets reserve for each before it is made, and are charged after it. */
export class PaidCalls {
  readonly #parts: PaidCallsParts;
  readonly #permits: CallPermit[] = [];
  #closed = false;
  /** Calls that were made. */
  made = 0;
  /** Why no further call may be made. */
  refused: TaskError | undefined;
  /** A call was reported to have used what no call can use: the answer is not used. */
  misreported: TaskError | undefined;

  constructor(parts: PaidCallsParts) {
    this.#parts = parts;
  }

  readonly hooks: Required<Pick<BindOptions, "beforeCall" | "onCall">> = {
    beforeCall: async () => {
      const ended = this.refused ?? this.misreported;
      if (ended !== undefined) throw failureOf(ended);
      const permit = await this.#parts.ask();
      if (permit !== undefined && "refused" in permit) {
        this.refused = permit.refused;
        throw failureOf(permit.refused);
      }
      if (this.#closed) {
        permit?.settle(nothing());
        throw new Error("The answer came after its task had ended.");
      }
      if (permit !== undefined) this.#permits.push(permit);
    },
    onCall: (reported) => {
      this.made++;
      const { usage, fault } = checkUsage(reported.usage);
      const call = reported.usage === undefined ? reported : { ...reported, usage };
      if (fault !== undefined)
        this.misreported ??= taskError(TaskErrorCode.FAILED, `A model call cannot be counted: ${fault}`);
      const used = usedBy(call);
      this.#permits.shift()?.settle(used);
      this.#parts.made(call, used);
    },
  };

  /** Their maker has ended: what was reserved for calls that were not made after all is given back. */
  close(): void {
    this.#closed = true;
    for (const permit of this.#permits.splice(0)) permit.settle(nothing());
  }
}

/** Waits until the budgets have enough for a model call, or never will. @throws the signal's reason */
export async function admittedModelCall(
  admission: Admission,
  outerTaskId: string | undefined,
  estimate: EstimateData | undefined,
  signal: AbortSignal,
): Promise<Exclude<AdmissionAnswer, { readonly type: "wait" }>> {
  for (;;) {
    signal.throwIfAborted();
    const answer = admission.admitModelCall(outerTaskId, estimate);
    if (answer.type === "go" && (await admission.shared?.confirm(answer.reservation)) === false) continue;
    if (answer.type !== "wait") return answer;
    await woken(answer.wait, signal);
  }
}

/** What a model call used, as budgets count it. */
export function usedBy({ usage: reported, latencyMs }: Pick<RecordedCall, "usage" | "latencyMs">): TaskUsage {
  const { usage } = checkUsage(reported);
  const tokens = (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return { calls: 1, tokens, cost: usage.cost ?? 0, seconds: latencyMs / 1_000 };
}

function failureOf({ code, message, details }: TaskError): TaskFailure {
  return new TaskFailure(code, message, { retryable: false, ...(details && { details }) });
}

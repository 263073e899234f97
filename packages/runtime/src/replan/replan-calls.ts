import { type EstimateData, isRecord, type RecordedCall } from "@planloom/plan";
import type { Admission } from "../admission/admission.ts";
import { permitOf } from "../admission/call-permit.ts";
import type { CallRecord } from "../journal/journal.ts";
import type { ReplanRegion } from "../ports/replan-policy.ts";
import type { Usage } from "../run-result.ts";
import { callRecord } from "../task-execution/call-record.ts";
import type { CallRecorder } from "../task-execution/call-recorder.ts";
import { admittedModelCall, PaidCalls, usedBy } from "../task-execution/paid-calls.ts";
import { UsageCounter } from "../task-execution/usage-counter.ts";

/** What of a run's calls is about its replanning. */
export const replanPurposes = ["replan", "propose", "mark"] as const satisfies readonly CallRecord["purpose"][];

export interface ReplanCallsParts {
  readonly admission: Admission;
  readonly callRecorder: CallRecorder | undefined;
  /** What a model call may use at most. */
  readonly estimate: EstimateData | undefined;
  readonly maxBytes: number;
  /** Of earlier sessions. */
  readonly earlier: readonly CallRecord[];
}

/** What a person wants replaced, and why. */
export interface Mark {
  /** A task, an element of a list, or what is within one, as it was named. */
  readonly id: string;
  readonly note?: string;
}

function listIn(request: unknown, field: "marked" | "marks"): string[] {
  const ids = isRecord(request) ? request[field] : undefined;
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** The marks of earlier sessions about which nothing was decided. */
function openMarksIn(calls: readonly CallRecord[]): Mark[] {
  const open = new Map<string, Mark>();
  for (const { purpose, request, reply } of calls) {
    if (purpose !== "mark") continue;
    const note = isRecord(request) && typeof request.note === "string" ? { note: request.note } : {};
    for (const id of listIn(request, "marks")) {
      if (reply === undefined) open.set(id, { id, ...note });
      else open.delete(id);
    }
  }
  return [...open.values()];
}

/** How often a run has asked for changes, and the model calls made for them: paid by the run's budget, kept in its journal. */
export class ReplanCalls {
  readonly #parts: ReplanCallsParts;
  readonly #usage = new UsageCounter();
  /** Changes that were asked for in earlier sessions. */
  readonly askedBefore: number;
  /** The tasks that these were to replace. */
  readonly marked: ReadonlySet<string>;
  /** What people marked in earlier sessions, and nothing was decided about. */
  readonly openMarks: readonly Mark[];

  constructor(parts: ReplanCallsParts) {
    this.#parts = parts;
    const asked = parts.earlier.filter(({ purpose }) => purpose === "replan");
    this.askedBefore = asked.length;
    this.marked = new Set(asked.flatMap(({ request }) => listIn(request, "marked")));
    this.openMarks = openMarksIn(parts.earlier);
    for (const { purpose, usage, latency_ms } of parts.earlier) {
      if (purpose !== "propose") continue;
      parts.admission.restoreModelCall(usedBy({ latencyMs: latency_ms, ...(usage !== undefined && { usage }) }));
    }
  }

  /** Of this session. */
  get usage(): Usage {
    return this.#usage.total();
  }

  /** Resolves when it is kept that a change is asked for: a process that dies meanwhile has asked. */
  async begin({ marked, optional, causes }: Pick<ReplanRegion, "marked" | "optional" | "causes">): Promise<void> {
    this.#keep("replan", { request: { marked, optional, causes }, latencyMs: 0 });
    await this.#parts.callRecorder?.flush();
  }

  /** Keeps what a person marked, so that a later session knows of it. Resolves when it is kept, and rejects where it cannot be. */
  async mark(marks: readonly string[], note: string | undefined): Promise<void> {
    const { callRecorder } = this.#parts;
    this.#keep("mark", { request: { marks, ...(note !== undefined && { note }) }, latencyMs: 0 });
    await callRecorder?.flush();
    if (callRecorder?.failure !== undefined) throw callRecorder.failure.error;
  }

  /** It has been decided about these marks: a replacement is in the plan, or there is none. */
  settleMarks(marks: readonly string[]): void {
    if (marks.length > 0) this.#keep("mark", { request: { marks }, reply: { decided: true }, latencyMs: 0 });
  }

  /** The calls of one question. */
  paid(signal: AbortSignal): PaidCalls {
    const { admission, estimate } = this.#parts;
    return new PaidCalls({
      async ask() {
        if (!admission.paysForModelCalls) return undefined;
        const answer = await admittedModelCall(admission, undefined, estimate, signal);
        return answer.type === "go"
          ? answer.reservation && permitOf(answer.reservation, undefined)
          : { refused: answer.error };
      },
      made: (call) => {
        this.#usage.addCall(call.usage ?? {});
        this.#keep("propose", call);
      },
    });
  }

  #keep(purpose: (typeof replanPurposes)[number], call: RecordedCall): void {
    const record = callRecord({ path: [], purpose }, call, this.#parts.maxBytes);
    if (record !== undefined) this.#parts.callRecorder?.record(record);
  }
}

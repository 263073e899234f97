import type { RecordedCall } from "@planloom/plan";
import type { CallRecord } from "../journal/journal.ts";
import { jsonCopy } from "../json-copy.ts";

/** The record of a call for the journal; undefined for a call that is not JSON or is too long to keep. */
export function callRecord(
  about: Pick<CallRecord, "path" | "purpose" | "uid">,
  { request, reply, error, usage, latencyMs }: RecordedCall,
  maxBytes: number,
): CallRecord | undefined {
  const record: CallRecord = {
    ...about,
    request,
    ...(reply !== undefined && { reply }),
    ...(error !== undefined && { error }),
    ...(usage !== undefined && { usage }),
    ended_at: Math.round(performance.timeOrigin + performance.now()),
    latency_ms: latencyMs,
  };
  try {
    return jsonCopy(record, { maxBytes }).value as CallRecord;
  } catch {
    return undefined;
  }
}

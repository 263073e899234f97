import { redact } from "@planloom/plan";
import type { ModelRequest } from "./model.ts";
import { credentialsIn } from "./transport/cut.ts";

/** The request as it may be kept in journals and given to listeners: without keys that its further parameters have. */
export function shownRequest(request: ModelRequest): ModelRequest {
  const { extra } = request;
  const keys = credentialsIn(extra);
  return extra === undefined || keys.length === 0 ? request : { ...request, extra: redact(extra, keys) };
}

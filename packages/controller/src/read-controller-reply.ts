import { isRecord } from "@planloom/plan";
import type { ControllerReply } from "./behavior-controller.ts";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import { cut, shown } from "./transport/cut.ts";

/**
 * Reads the body of a remote controller, in either of its two documented shapes: `{success, data: […]}` and
 * `{success, data: {status, processed_data}}`. What is in `data` stays untrusted and as it came, but for a phase-2
 * answer that names only a `uid`: that gets an empty `input_data`.
 * @throws ControllerError PROTOCOL, `details.body` (cut), for any other shape.
 */
export function readControllerReply(body: unknown): ControllerReply {
  if (!isRecord(body) || typeof body.success !== "boolean") {
    throw new ControllerError(
      ControllerErrorCode.PROTOCOL,
      `Expected {"success": true, "data": …} or {"success": false, "message": …}, got ${shown(body)}.`,
      { details: { body: shown(body) } },
    );
  }
  if (!body.success) {
    return refusal(body);
  }
  const { data } = body;
  if (!isRecord(data) || !Object.hasOwn(data, "processed_data")) {
    return { success: true, data: completeStep(data) };
  }
  return isFailure(data.status)
    ? refusal({ ...data, message: data.message ?? body.message })
    : { success: true, data: completeStep(data.processed_data) };
}

function refusal({ message, error, data }: Record<string, unknown>): ControllerReply {
  const said = [message, isRecord(error) ? error.message : error, data].find(
    (text) => typeof text === "string" && text !== "",
  );
  return {
    success: false,
    message: typeof said === "string" ? cut(said, 2_000) : "The controller refused without saying why.",
  };
}

function isFailure(status: unknown): boolean {
  return typeof status === "string" && /^(error|fail(ed|ure)?)$/i.test(status);
}

function completeStep(data: unknown): unknown {
  const isBareStep =
    isRecord(data) &&
    typeof data.uid === "string" &&
    !Object.hasOwn(data, "input_data") &&
    Object.keys(data).length <= 2;
  return isBareStep ? { ...data, input_data: {} } : data;
}

import { IssueCode, isRecord, type PlanIssue } from "@planloom/plan";
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
    return { success: true, data: completeStep(data), ...issuesIn(body) };
  }
  return isFailure(data.status)
    ? refusal({ ...data, message: data.message ?? body.message })
    : { success: true, data: completeStep(data.processed_data) };
}

/** What another Planloom says beside the wire form, as data from outside: known codes, texts of bounded length. */
function issuesIn({ issues, final }: Record<string, unknown>): Pick<ControllerReply, "issues" | "final"> {
  const read = (Array.isArray(issues) ? issues.slice(0, maxIssues) : []).flatMap((each: unknown): PlanIssue[] => {
    if (!isRecord(each) || typeof each.message !== "string" || !codes.has(each.code)) return [];
    const { code, severity, message, task_id, argument_path } = each;
    return [
      {
        code: code as IssueCode,
        severity: severity === "error" ? "error" : "warning",
        message: cut(message, maxMessage),
        ...(typeof task_id === "string" && { task_id: task_id.slice(0, maxName) }),
        ...(typeof argument_path === "string" && { argument_path: argument_path.slice(0, maxName) }),
      },
    ];
  });
  return { ...(read.length > 0 && { issues: read }), ...(final === true && { final }) };
}

const codes: ReadonlySet<unknown> = new Set(Object.values(IssueCode));
const maxIssues = 100;
const maxMessage = 2_000;
const maxName = 500;

function refusal({ message, error, data, ...beside }: Record<string, unknown>): ControllerReply {
  const said = [message, isRecord(error) ? error.message : error, data].find(
    (text) => typeof text === "string" && text !== "",
  );
  return {
    success: false,
    message: typeof said === "string" ? cut(said, maxMessage) : "The controller refused without saying why.",
    ...issuesIn(beside),
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

import { callerError } from "planloom/coded-error";
import { nameRequestFields } from "../api/name-request-fields.ts";
import { ServerError, ServerErrorCode } from "../errors.ts";
import { statusOf } from "./error-status.ts";

/** The body of every answer but a success. */
export interface Problem {
  readonly error: {
    readonly code: string;
    /** For people: what was expected, what came, and what to do. */
    readonly message: string;
    readonly details?: unknown;
  };
}

export interface ProblemReply {
  readonly status: number;
  readonly body: Problem;
}

/**
 * An error as an answer: with its own code where the caller can do something about it. Any other error is SERVER_INTERNAL without its text, which may name
 * files and hosts; the log has it under the id of the request.
 * @param journals names that are files of the server's machine, and left out of the text
 */
export function problemOf(error: unknown, requestId: string, journals: readonly string[] = []): ProblemReply {
  if (error instanceof ServerError) return ofServer(error, requestId);
  const known = callerError(error, journals);
  if (known === undefined) return internal(requestId);
  const { status, message, ...body } = known;
  return { status, body: { error: { ...body, message: nameRequestFields(message) } } };
}

function ofServer({ code, message, details }: ServerError, requestId: string): ProblemReply {
  const status = statusOf(code);
  if (status === undefined) return internal(requestId);
  return { status, body: { error: { code, message, ...(Object.keys(details).length > 0 && { details }) } } };
}

function internal(request_id: string): ProblemReply {
  const message = `The request failed for a reason that the caller cannot mend. The log of the server has it under ${request_id}.`;
  return { status: 500, body: { error: { code: ServerErrorCode.INTERNAL, message, details: { request_id } } } };
}

import { A2AError } from "@a2a-js/sdk/errors";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { grpcError } from "./grpc-error.ts";

/** After these the task may still be going on: it is looked for again. */
const breaks: ReadonlySet<A2aErrorCode> = new Set([A2aErrorCode.UNREACHABLE, A2aErrorCode.TIMEOUT]);

export const isBreak = (error: unknown): error is A2aError => error instanceof A2aError && breaks.has(error.code);

/** What the SDK or `fetch` threw, as an error of this package. */
export function agentError(agent: string, cause: unknown): A2aError {
  if (cause instanceof A2aError) return cause;
  // A broken body rejects with what broke it.
  const inner = cause instanceof Error ? cause.cause : undefined;
  if (inner instanceof A2aError) return inner;
  const ofGrpc = grpcError(agent, cause);
  if (ofGrpc !== undefined) return ofGrpc;
  if (cause instanceof A2AError) {
    const message = `Agent "${agent}" refuses the request: ${cause.message.slice(0, 2_000)}`;
    return new A2aError(A2aErrorCode.REFUSED, message, { details: { agent, reason: cause.name }, cause });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  if (cause instanceof TypeError && /terminated|fetch failed|network|aborted/i.test(text)) {
    const why = inner instanceof Error ? inner.message : text;
    return new A2aError(A2aErrorCode.UNREACHABLE, `The connection to agent "${agent}" broke: ${why}.`, {
      details: { agent },
      cause,
    });
  }
  const problem = text.slice(0, 500);
  return new A2aError(A2aErrorCode.PROTOCOL, `Agent "${agent}" does not answer as A2A has it: ${problem}`, {
    details: { agent, problem },
    cause,
  });
}

export function lost(agent: string, taskId: string, reconnectMs: number, cause: unknown): A2aError {
  const message = `The connection to agent "${agent}" broke and did not come back within ${reconnectMs} ms. Its task ${taskId} may still be going on there.`;
  return new A2aError(A2aErrorCode.CONNECTION_LOST, message, { details: { agent, task_id: taskId }, cause });
}

/** What became of a message whose sending broke off: unless nothing of it was taken, the agent may be at work on it. */
export function sendingError(agent: string, cause: unknown): unknown {
  if (!isBreak(cause) || cause.details.not_taken === true) return cause;
  const message = `The connection to agent "${agent}" broke while the message was sent. The agent may have taken it. (${cause.message})`;
  return new A2aError(A2aErrorCode.CONNECTION_LOST, message, { details: { agent }, cause });
}

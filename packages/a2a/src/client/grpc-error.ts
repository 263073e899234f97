import { A2AError } from "@a2a-js/sdk/errors";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { tooLarge } from "./agent-fetch.ts";

/** The largest message, in bytes: the default of `@grpc/grpc-js`, which the SDK does not change. */
const maxBytes = 4 * 1024 * 1024;

/** What a status of gRPC says of the way to the agent rather than of the call; nothing for every other error. */
export function grpcError(agent: string, cause: unknown): A2aError | undefined {
  if (!(cause instanceof A2AError) || !("transport" in cause) || cause.transport !== "grpc") return undefined;
  const status = "status" in cause ? cause.status : undefined;
  const text = cause.message.slice(0, 500);
  switch (status) {
    // CANCELLED by the other side, UNAVAILABLE, and INTERNAL where the connection was cut.
    case 1:
    case 14:
      return unreachable(agent, text, cause);
    case 13:
      return /RST_STREAM|ECONNRESET|connection|premature/i.test(text) ? unreachable(agent, text, cause) : undefined;
    case 7:
    case 16: {
      const message = `Agent "${agent}" refuses the credentials, or their absence (${text}).`;
      return new A2aError(A2aErrorCode.AUTH, message, { details: { agent, status }, cause });
    }
    case 8:
      return /larger than max/i.test(text) ? tooLarge(agent, maxBytes) : undefined;
    default:
      return undefined;
  }
}

function unreachable(agent: string, problem: string, cause: unknown): A2aError {
  const not_taken = /No connection established|ECONNREFUSED|ENOTFOUND|Name resolution failed/i.test(problem);
  const details = { agent, ...(not_taken && { not_taken }) };
  return new A2aError(A2aErrorCode.UNREACHABLE, `Agent "${agent}" cannot be reached over gRPC: ${problem}.`, {
    details,
    cause,
  });
}

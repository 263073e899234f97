import { CodedError, type CodedErrorOptions, redact, redactCause } from "planloom/plan";

/** Codes of `A2aError`. Each line says when it is thrown and which `details` it carries; `details.agent` is the agent's name. */
export const A2aErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "A2A_OPTION",
  /** The agent card cannot be used; `details.url`, `details.problem`. Cure: Mend the card, or ask the agent's operator to. */
  CARD: "A2A_CARD",
  /**
   * The card says that the agent is reached on another origin than the card's own, or a later card moved it; `details.origin`. Cure: If you trust that
   * origin with the agent's messages and credentials, name it in `origins` of the agent.
   */
  ORIGIN: "A2A_ORIGIN",
  /** No signature of the card is by one of the keys that were given; `details.url`. Cure: Check that the keys are those of the agent's operator. */
  SIGNATURE: "A2A_SIGNATURE",
  /** Nothing answers at the agent's URL, or it answers with an HTTP error; `details.url`, `details.status`, and
   * `details.not_taken` where nothing of the request was taken. Cure: Check the address and that the agent runs. */
  UNREACHABLE: "A2A_UNREACHABLE",
  /**
   * The agent wants credentials or refuses those given; `details.schemes` lists the schemes of the card. Cure: Give the credentials of one of the schemes, in
   * `credentials` of the agent.
   */
  AUTH: "A2A_AUTH",
  /** What the agent answers is not A2A, or not of a version that is known here; `details.problem`. Cure: Ask the agent's operator; A2A 1.0 and 0.3 are known. */
  PROTOCOL: "A2A_PROTOCOL",
  /** The agent refused a request; `details.reason` is its own code. Cure: Read the message, which is the agent's own; mend the input. */
  REFUSED: "A2A_REFUSED",
  /** The agent's task failed; `details.text` is what it says, `details.task_id` its id. Cure: Read `details.text`; mend the input or the agent. */
  FAILED: "A2A_FAILED",
  /** The agent would not do the task; `details.text`, `details.task_id`. Cure: Read `details.text`; give the task to another agent. */
  REJECTED: "A2A_REJECTED",
  /** Somebody else cancelled the agent's task; `details.task_id`. Cure: Find out who did; resume or fork the run. */
  CANCELED: "A2A_CANCELED",
  /** The agent did not answer a request in time; `details.timeoutMs`. Cure: Raise `requestTimeoutMs`. */
  TIMEOUT: "A2A_TIMEOUT",
  /**
   * The connection broke while a message was sent, or broke later and could not be had again in time; `details.task_id`, where it is known. Cure: Check the
   * agent; the task may still be going on there.
   */
  CONNECTION_LOST: "A2A_CONNECTION_LOST",
  /** What the agent sent is over `maxResultBytes`; `details.maxBytes`. Cure: Ask the agent for less, or raise `maxResultBytes`. */
  RESULT_TOO_LARGE: "A2A_RESULT_TOO_LARGE",
  /** No such agent among those connected; `details.uid`. Cure: Name an agent that is connected. */
  UNKNOWN_AGENT: "A2A_UNKNOWN_AGENT",
  /** Several agents failed to connect; `details.failures` lists `{agent, code, message}`. Cure: See each agent's own error; `optional: true` connects without one that fails. */
  CONNECT: "A2A_CONNECT",
  /** No connected agent has what the tasks of a subgraph need; `details.needs`. Cure: Connect an agent that has it, or run these tasks here. */
  NO_AGENT: "A2A_NO_AGENT",
  /** The agent takes calls over gRPC alone, and the packages for that are not installed; `details.packages`. Cure: Install `details.packages`. */
  NOT_INSTALLED: "A2A_NOT_INSTALLED",
  /** The connection was closed by `close()`. Cure: Connect again. */
  CLOSED: "A2A_CLOSED",
} as const;
export type A2aErrorCode = (typeof A2aErrorCode)[keyof typeof A2aErrorCode];

/** Another attempt gets the same answer, or would begin a second time what may still be going on. */
const finalCodes: ReadonlySet<A2aErrorCode> = new Set([
  A2aErrorCode.CLOSED,
  A2aErrorCode.NOT_INSTALLED,
  A2aErrorCode.UNKNOWN_AGENT,
  A2aErrorCode.NO_AGENT,
  A2aErrorCode.REJECTED,
  A2aErrorCode.REFUSED,
  A2aErrorCode.CONNECTION_LOST,
  A2aErrorCode.PROTOCOL,
  A2aErrorCode.RESULT_TOO_LARGE,
  A2aErrorCode.AUTH,
  A2aErrorCode.ORIGIN,
  A2aErrorCode.SIGNATURE,
]);

/** The one error class of this package. Its `code` says which error it is. */
export class A2aError extends CodedError<A2aErrorCode> {
  override readonly name = "A2aError";
  /** False where another attempt cannot help; the runtime then makes none. */
  readonly retryable: boolean;

  constructor(code: A2aErrorCode, message: string, options?: CodedErrorOptions) {
    super(code, message, options);
    this.retryable = !finalCodes.has(code);
  }
}

/** The same error with every secret blanked, in its message, its details and its causes. */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof A2aError) || secrets.length === 0) return error;
  const details = redact(error.details, secrets);
  const message = redact(error.message, secrets);
  return new A2aError(error.code, message, { details, cause: redactCause(error.cause, secrets) });
}

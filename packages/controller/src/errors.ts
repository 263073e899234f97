/** Codes of `ControllerError`. Each line says when it is thrown and which `details` it carries. */
export const ControllerErrorCode = {
  /** An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is misspelt. */
  OPTION: "CONTROLLER_OPTION",
  /** What a model or a controller needs is missing or cannot be used (no API key, no model, bad URL, a limit that is not a number); `details.option`. */
  CONFIG: "CONTROLLER_CONFIG",
  /** Nothing answered: refused, dropped, no such host; `details.url`. */
  UNREACHABLE: "CONTROLLER_UNREACHABLE",
  /** No answer in time; `details.timeoutMs`. */
  TIMEOUT: "CONTROLLER_TIMEOUT",
  /** The remote answered with an error; `details.status`, `details.body` (cut). */
  STATUS: "CONTROLLER_STATUS",
  /** Key refused (401, 403). */
  AUTH: "CONTROLLER_AUTH",
  /** 429 after all retries; `details.retryAfterMs`. */
  RATE_LIMIT: "CONTROLLER_RATE_LIMIT",
  /** The account has no quota or credit left; `details.status`, `details.body` (cut). */
  QUOTA: "CONTROLLER_QUOTA",
  /** The endpoint does not have the model, or not for chat completions; `details.model`, `details.body` (cut). */
  MODEL_NOT_FOUND: "CONTROLLER_MODEL_NOT_FOUND",
  /** The request has more tokens than the model or the account takes; `details.body` (cut). */
  CONTEXT_EXCEEDED: "CONTROLLER_CONTEXT_EXCEEDED",
  /** A content filter of the endpoint stopped the request or its answer; `details.body` (cut). */
  CONTENT_FILTER: "CONTROLLER_CONTENT_FILTER",
  /** The model said that it will not answer; `details.refusal` (cut). */
  REFUSED: "CONTROLLER_REFUSED",
  /** All tokens of the answer were used before it said anything; `details.maxTokens` where a limit was sent, `details.reasoningTokens` where they are known. */
  LENGTH: "CONTROLLER_LENGTH",
  /** The answer said the same over and over, or had more tasks than asked for, and was stopped; `details.characters`, `details.text` (its end). */
  RUNAWAY: "CONTROLLER_RUNAWAY",
  /** The answer has no shape we know; `details.body` (cut). */
  PROTOCOL: "CONTROLLER_PROTOCOL",
  /** Text of a model could not be read as a value; `details.text` (cut). */
  UNREADABLE: "CONTROLLER_UNREADABLE",
  /** A model request has more characters than the caller allows; `details.characters`, `details.maxPromptCharacters`. Nothing was sent. */
  PROMPT_TOO_LARGE: "CONTROLLER_PROMPT_TOO_LARGE",
  /** A scripted model was asked more, or less, than its script says. */
  SCRIPT: "CONTROLLER_SCRIPT",
} as const;
export type ControllerErrorCode = (typeof ControllerErrorCode)[keyof typeof ControllerErrorCode];

/** The same call would end the same way. */
const finalCodes: ReadonlySet<ControllerErrorCode> = new Set([
  ControllerErrorCode.OPTION,
  ControllerErrorCode.CONFIG,
  ControllerErrorCode.AUTH,
  ControllerErrorCode.QUOTA,
  ControllerErrorCode.MODEL_NOT_FOUND,
  ControllerErrorCode.CONTEXT_EXCEEDED,
  ControllerErrorCode.CONTENT_FILTER,
  ControllerErrorCode.REFUSED,
  ControllerErrorCode.LENGTH,
  ControllerErrorCode.PROMPT_TOO_LARGE,
  ControllerErrorCode.SCRIPT,
]);

/** The one error class of this package. Its `code` says which error it is. */
export class ControllerError extends Error {
  override readonly name = "ControllerError";
  readonly code: ControllerErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  /** False where the same call would end the same way, so that it is not made again. */
  readonly retryable: boolean;

  /** @param options.retryable @default what the code says */
  constructor(
    code: ControllerErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown; retryable?: boolean } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? !finalCodes.has(code);
  }
}

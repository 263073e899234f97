/** Codes of `ControllerError`. Each line says when it is thrown and which `details` it carries. */
export const ControllerErrorCode = {
  /** An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is misspelt. */
  OPTION: "CONTROLLER_OPTION",
  /** What a model or a controller needs is missing or cannot be used (no API key, no model, bad URL, a limit that is no number); `details.option`. */
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

/** The one error class of this package. Its `code` says which error it is. */
export class ControllerError extends Error {
  override readonly name = "ControllerError";
  readonly code: ControllerErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ControllerErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

import { CodedError, type CodedErrorOptions } from "@planloom/plan/coded-error";

/** Codes of `ControllerError`. Each line says when it is thrown and which `details` it carries. */
export const ControllerErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "CONTROLLER_OPTION",
  /**
   * What a model or a controller needs is missing or cannot be used (no API key, no model, bad URL, a limit that is not a number);
   * `details.option`. Cure: Give what `details.option` names: a key, a model, a URL.
   */
  CONFIG: "CONTROLLER_CONFIG",
  /**
   * Nothing answered (refused, dropped, no such host), or the connection broke within the answer (`details.brokenOff`); `details.url`. Cure: Check the address and that
   * the service runs; for answers that break off each time, a limit of the service or of a proxy in between.
   */
  UNREACHABLE: "CONTROLLER_UNREACHABLE",
  /** No answer in time; `details.timeoutMs`. Cure: Raise `timeoutMs`, or take a faster model. */
  TIMEOUT: "CONTROLLER_TIMEOUT",
  /**
   * The remote answered with an error; `details.status`, `details.body` (cut). Not asked again for a status of 4xx, which refuses the request itself (but 408, 409 and 425).
   * Cure: Read `details.body`; it has the words of the service.
   */
  STATUS: "CONTROLLER_STATUS",
  /** Key refused (401, 403). Cure: Give a key that the service takes. */
  AUTH: "CONTROLLER_AUTH",
  /**
   * 429 after all retries, or at once where the wait that is asked for is longer than `maxRetryDelayMs`; `details.retryAfterMs`. Cure: Wait for
   * `details.retryAfterMs`, or ask less often.
   */
  RATE_LIMIT: "CONTROLLER_RATE_LIMIT",
  /** The account has no quota or credit left; `details.status`, `details.body` (cut). Cure: Add credit to the account, or use another key. */
  QUOTA: "CONTROLLER_QUOTA",
  /**
   * The endpoint does not have the model, or not for chat completions; `details.model`, `details.body` (cut). Cure: Check the name of the model.
   */
  MODEL_NOT_FOUND: "CONTROLLER_MODEL_NOT_FOUND",
  /**
   * The request has more tokens than the model or the account takes; `details.body` (cut). Cure: Offer fewer tools, set `maxPromptCharacters`,
   * or take a model with a larger context.
   */
  CONTEXT_EXCEEDED: "CONTROLLER_CONTEXT_EXCEEDED",
  /** A content filter of the endpoint stopped the request or its answer; `details.body` (cut). Cure: Say the goal in other words. */
  CONTENT_FILTER: "CONTROLLER_CONTENT_FILTER",
  /** The model said that it will not answer; `details.refusal` (cut). Cure: Say the goal in other words, or ask another model. */
  REFUSED: "CONTROLLER_REFUSED",
  /**
   * All tokens of the answer were used before it said anything; `details.maxTokens` where a limit was sent, `details.reasoningTokens` where they
   * are known. Cure: Raise `maxTokens`, or lower `reasoningEffort`.
   */
  LENGTH: "CONTROLLER_LENGTH",
  /**
   * The answer said the same over and over, had more tasks than asked for or one that grew far beyond the request, and was stopped; `details.characters`, `details.text` (its end).
   * Cure: Try again, or take a model that follows the format better.
   */
  RUNAWAY: "CONTROLLER_RUNAWAY",
  /**
   * The answer has no shape we know; `details.body` (cut). A web page (a proxy's login, say) is not asked for again. Cure: Check that the address is that
   * of a Behavior Controller or of a chat endpoint, and what is in between.
   */
  PROTOCOL: "CONTROLLER_PROTOCOL",
  /** Text of a model could not be read as a value; `details.text` (cut). Cure: Try again, or take a model that follows the format better. */
  UNREADABLE: "CONTROLLER_UNREADABLE",
  /**
   * A model request has more characters than the caller allows; `details.characters`, `details.maxPromptCharacters`. Nothing was sent. Cure:
   * Offer fewer resources, or raise `maxPromptCharacters`.
   */
  PROMPT_TOO_LARGE: "CONTROLLER_PROMPT_TOO_LARGE",
  /** A scripted model was asked more, or less, than its script says. Cure: Change the script of the test so that it has a step for each call. */
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
export class ControllerError extends CodedError<ControllerErrorCode> {
  override readonly name = "ControllerError";
  /** False where the same call would end the same way, so that it is not made again. */
  readonly retryable: boolean;

  /** @param options.retryable @default what the code says */
  constructor(
    code: ControllerErrorCode,
    message: string,
    { retryable = !finalCodes.has(code), ...options }: CodedErrorOptions & { readonly retryable?: boolean } = {},
  ) {
    super(code, message, options);
    this.retryable = retryable;
  }
}

import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { cut } from "../transport/cut.ts";
import { checkKey } from "../transport/status-error.ts";
import type { ErrorBody } from "./error-body.ts";
import type { Endpoint } from "./wire.ts";

/** Texts of providers that mean that asking again cannot succeed. The first that fits counts. */
const contextExceeded =
  /context_length_exceeded|exceed_context_size|maximum context length|context (?:length|window|size|limit)[^.]{0,80}exceed|exceed[^.]{0,80}context (?:length|window|size|limit)|context overflow|prompt is too long|input (?:is )?too long|string too long|too many (?:input |prompt )?tokens|request too large|reduce the length of the|input token count[^.]{0,60}exceeds|request entity too large/i;
const filtered =
  /content_filter|content[_ ]policy|content management policy|ResponsibleAIPolicy|safety (?:system|filter)|data_inspection_failed|prohibited[_ ]content|blocked by [^.]{0,40}(?:safety|moderation)|flagged by moderation|requires moderation/i;
const noQuota =
  /insufficient_quota|insufficient (?:balance|credit|fund)|exceeded your current quota|credit balance is too low|out of credits|payment required|billing_hard_limit|billing (?:details|hard limit|is not)|arrearage/i;
const noModel =
  /model_not_found|deploymentnotfound|no such model|unknown model|invalid model|not a valid model|model id[^.]{0,40}invalid|\bmodel\b[^.]{0,120}(?:does not exist|not found|not exist|doesn't exist|is not available|not supported in the v1\/chat|not a chat model)|not a chat model|only supported in v1\/responses|try pulling it|no endpoints found for|deployment[^.]{0,60}does not exist/i;
const wrongKey =
  /api[ _-]?key (?:is )?(?:not valid|invalid|incorrect|expired)|(?:invalid|incorrect|expired|missing|no)[ _]api[ _-]?key|api_key_invalid/i;
/** What was refused is the answer that the model wrote this time, not the request (Groq). */
const wrongAnswer = /json_validate_failed|tool_use_failed|output_parse_failed/i;
/** Words of an error that speak of the moment, whatever its status says. */
const passing =
  /try again (?:later|in )|temporar(?:y|ily)|overloaded|(?:currently|service) unavailable|(?:at|over|no|insufficient) capacity|timed out/i;

/**
 * The same error with a code of its own where the request cannot succeed however often it is made, and with a message that says what to
 * do; else the error itself.
 * @param asked the model that was asked, and the protocol
 */
export function finalError(
  error: ControllerError,
  said: ErrorBody,
  { model, endpoint }: { readonly model: string; readonly endpoint: Endpoint },
): ControllerError {
  const status = Number(error.details.status);
  const code = finalCode(error, said, status);
  const text = ended(said.message);
  const where = String(error.details.url ?? "The endpoint");
  const make = (message: string) =>
    code === undefined
      ? error
      : new ControllerError(code, message, { details: { ...error.details, model }, cause: error });
  switch (code) {
    case undefined:
      return otherError(error, said, { status, where, endpoint });
    case ControllerErrorCode.QUOTA:
      return make(
        `The account of ${where} has no quota or credit left (status ${status}): ${text} Add credit, raise its limit, or use another key; it is not asked again.`,
      );
    case ControllerErrorCode.MODEL_NOT_FOUND:
      return make(
        `${where} does not offer the model "${model}" for ${endpoint.offer} (status ${status}): ${text} Check the name (\`model\`, PLANLOOM_MODEL) and what the key may use. ${endpoint.otherwise}`.trim(),
      );
    case ControllerErrorCode.CONTEXT_EXCEEDED:
      return make(
        `The request is too long for the model "${model}" at ${where} (status ${status}): ${text} Offer fewer tools, shorten what is asked, set \`maxPromptCharacters\`, or give the model a larger context.`,
      );
    case ControllerErrorCode.CONTENT_FILTER:
      return make(
        `The content filter of ${where} stopped the request (status ${status}): ${text} Say it otherwise, or change the filter's settings.`,
      );
    case ControllerErrorCode.AUTH:
      return make(`${where} refused the key (status ${status}): ${text} ${checkKey(where)}`);
    default:
      return code satisfies never;
  }
}

/** What an endpoint said, as a sentence within another. */
function ended(message: string): string {
  const text = cut(message.trim());
  return /[.!?…)]$/.test(text) ? text : `${text}.`;
}

type FinalCode =
  | typeof ControllerErrorCode.QUOTA
  | typeof ControllerErrorCode.MODEL_NOT_FOUND
  | typeof ControllerErrorCode.CONTEXT_EXCEEDED
  | typeof ControllerErrorCode.CONTENT_FILTER
  | typeof ControllerErrorCode.AUTH;

function finalCode(error: ControllerError, said: ErrorBody, status: number): FinalCode | undefined {
  const { text } = said;
  const isAsked = error.code === ControllerErrorCode.STATUS || error.code === ControllerErrorCode.RATE_LIMIT;
  if (status === 402) return ControllerErrorCode.QUOTA;
  if (isAsked && contextExceeded.test(text)) return ControllerErrorCode.CONTEXT_EXCEEDED;
  if (status === 403 && filtered.test(text)) return ControllerErrorCode.CONTENT_FILTER;
  // Gemini speaks of the quota at every rate limit; only where it says when to come back it is one.
  if (noQuota.test(text) && said.retryAfterMs === undefined && error.details.retryAfterMs === undefined) {
    return ControllerErrorCode.QUOTA;
  }
  if (/insufficient_quota/i.test(said.code)) return ControllerErrorCode.QUOTA;
  if (error.code !== ControllerErrorCode.STATUS || status >= 500) return undefined;
  if (filtered.test(text)) return ControllerErrorCode.CONTENT_FILTER;
  if (wrongKey.test(text)) return ControllerErrorCode.AUTH;
  return noModel.test(text) ? ControllerErrorCode.MODEL_NOT_FOUND : undefined;
}

/** With the wait that only the body asks for; and of a path that is not there, that it will not be there the next time. */
function otherError(
  error: ControllerError,
  said: ErrorBody,
  { status, where, endpoint }: { readonly status: number; readonly where: string; readonly endpoint: Endpoint },
): ControllerError {
  const { retryAfterMs } = said;
  if (
    error.code === ControllerErrorCode.RATE_LIMIT &&
    retryAfterMs !== undefined &&
    error.details.retryAfterMs === undefined
  ) {
    return new ControllerError(error.code, error.message, {
      details: { ...error.details, retryAfterMs },
      cause: error.cause,
    });
  }
  // A redirect says itself what to do.
  if (error.code !== ControllerErrorCode.STATUS || error.retryable || status < 400) return error;
  const isOfThisTime = said.generated !== undefined || wrongAnswer.test(said.code) || passing.test(said.text);
  if (isOfThisTime && status !== 404 && status !== 405) {
    const message = `${where} answered with status ${status}: ${ended(said.message)} Another try may end otherwise.`;
    return new ControllerError(error.code, message, { details: error.details, cause: error.cause, retryable: true });
  }
  if (status !== 404 && status !== 405) return refusedRequest(error, ended(said.message), { status, where });
  const message =
    `There is no ${endpoint.title} at ${where} (status ${status}): ${ended(said.message)} Does the base URL end where the API begins, in /v1 most often? ${endpoint.otherwise}`.trim();
  return new ControllerError(error.code, message, { details: error.details, cause: error.cause, retryable: false });
}

/** Of a request that is refused for a reason that is not known here: what can be changed of it. */
function refusedRequest(
  error: ControllerError,
  said: string,
  { status, where }: { readonly status: number; readonly where: string },
): ControllerError {
  const words = said === "." ? "It does not say why." : said;
  const message = `${where} refuses the request (status ${status}): ${words} It would refuse the same request again, so it is not asked again. Change what its words name; where they name nothing, ask for less: \`structuredOutput: "text"\`, \`stream: false\`, no \`temperature\`, \`maxTokens\`, \`reasoningEffort\` or \`extraBody\`.`;
  return new ControllerError(error.code, message, { details: error.details, cause: error.cause, retryable: false });
}

import { isRecord } from "@planloom/plan";

/** What the body of an error says, in any of the known shapes. */
export interface ErrorBody {
  /** The message with code, type and parameter, as one text to search; the whole body where it has no message. */
  readonly text: string;
  /** The message alone. */
  readonly message: string;
  readonly code: string;
  /** What the model had written when the endpoint refused it (Groq). */
  readonly generated?: string;
  /** Milliseconds that the body asks to wait (Gemini says it there and in no header). */
  readonly retryAfterMs?: number;
}

/**
 * Reads `{error: {message}}` (OpenAI), `[{error: {…}}]` (Gemini), `{message}`, `{message: {detail: […]}}` (Mistral), `{detail}` (FastAPI),
 * `{error: "…"}` (Ollama) and plain text. Total.
 */
export function readErrorBody(body: string): ErrorBody {
  const value = parse(body);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(first)) return { text: body, message: body, code: "", ...waitOf(body) };
  const error = isRecord(first.error) ? first.error : first;
  const said = [error.message, first.message, first.error, error.detail, first.detail].find(
    (part) => part !== undefined,
  );
  const message = said === undefined ? body : textOf(said);
  const code = [error.code, error.type, error.status].filter((part) => typeof part === "string").join(" ");
  const parameter = typeof error.param === "string" ? error.param : "";
  const { failed_generation: generated } = error;
  return {
    text: [message, code, parameter, isRecord(error.innererror) ? textOf(error.innererror) : ""].join(" ").trim(),
    message,
    code,
    ...(typeof generated === "string" && generated.trim() !== "" && { generated }),
    ...waitOf(body),
  };
}

function waitOf(body: string): { readonly retryAfterMs?: number } {
  const found = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d+)?)s"|\bretry in (\d{1,6}(?:\.\d+)?)\s?s/i.exec(body);
  const seconds = found?.[1] ?? found?.[2];
  return seconds === undefined ? {} : { retryAfterMs: Math.ceil(Number(seconds) * 1_000) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

import { type Span, SpanStatusCode } from "@opentelemetry/api";
import { names } from "./names.ts";
import type { Settings } from "./options.ts";

const longestMessage = 500;

/** Marks a span as failed: `error.type` is the code of the error, else its name. */
export function failSpan(
  span: Span,
  error: unknown,
  { errorMessages }: Pick<Settings, "errorMessages">,
  blank?: <Value>(value: Value) => Value,
): void {
  if (!span.isRecording()) return;
  const { code, name, message } = (error ?? {}) as { code?: unknown; name?: unknown; message?: unknown };
  const type = typeof code === "string" ? code : typeof name === "string" ? name : "_OTHER";
  span.setAttribute(names.attribute.errorType, type);
  const text = typeof message === "string" ? message : String(error);
  const shown = blank === undefined ? text : blank(text);
  span.setStatus({
    code: SpanStatusCode.ERROR,
    ...(errorMessages && { message: shown.slice(0, longestMessage) }),
  });
}

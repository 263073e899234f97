import type { Span } from "@opentelemetry/api";
import type { Settings } from "./options.ts";

/** Puts a value that may be personal or secret on a span, where that was asked for. */
export function recordContent(
  span: Span,
  { content, redact, maxContentLength }: Settings,
  about: { readonly attribute: string; readonly of: string },
  value: () => unknown,
  blank: (<Value>(value: Value) => Value) | undefined,
): void {
  if (!content || !span.isRecording()) return;
  try {
    const given = value();
    const shown = redact(blank === undefined ? given : blank(given), about);
    const text = typeof shown === "string" ? shown : JSON.stringify(shown);
    if (text === undefined) return;
    span.setAttribute(about.attribute, text.length > maxContentLength ? `${text.slice(0, maxContentLength)}…` : text);
  } catch {
    // What cannot be redacted or written as JSON is not recorded.
  }
}

import { isRecord, type JsonSchema } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { looksLike } from "../output/looks-like.ts";
import { withoutThinking } from "../output/thinking.ts";
import type { StructuredMode, WantedAnswer } from "./forms.ts";
import type { RawReply } from "./read-completion.ts";

/**
 * Whether a server did what the form asks for. A cut or empty answer shows nothing, and counts as obedience: only a
 * server that surely ignores a form is to be asked in another.
 */
export function obeysForm(reply: RawReply, form: StructuredMode, wanted: WantedAnswer): boolean {
  const cutOff = reply.finishReason === "length" || reply.finishReason === "content_filter";
  switch (form) {
    case "json_schema":
      return cutOff || reply.text.trim() === "" || isJsonLike(withoutThinking(reply.text), wanted.schema);
    case "tool":
      return cutOff || (reply.text.trim() === "" && wanted.tools === undefined) || isCalled(reply, wanted);
    case "text":
      return true;
    default:
      return form satisfies never;
  }
}

function isCalled({ toolCalls }: RawReply, { name, tools }: WantedAnswer): boolean {
  // A call of something else is for the caller to judge.
  return tools === undefined ? toolCalls.some((call) => call.name === name) : toolCalls.length > 0;
}

/**
 * The arguments of the call that carries the answer. Several such calls are the parts of one answer where they differ in lists alone.
 * @throws ControllerError UNREADABLE where they are different answers
 */
export function answerCall({ toolCalls }: RawReply, name: string): string | undefined {
  const texts = [...new Set(toolCalls.filter((call) => call.name === name).map((call) => call.arguments))];
  if (texts.length < 2) return texts[0];
  const merged = mergeAnswers(texts.map(parse));
  if (merged !== undefined) return JSON.stringify(merged);
  const message = `Expected one call of \`${name}\` with the answer, got ${texts.length} that say different things.`;
  throw new ControllerError(ControllerErrorCode.UNREADABLE, message, {
    details: { text: texts.join("\n").slice(0, 500) },
  });
}

function mergeAnswers(values: readonly unknown[]): Record<string, unknown> | undefined {
  if (!values.every(isRecord)) return undefined;
  const merged: Record<string, unknown> = {};
  for (const key of new Set(values.flatMap((value) => Object.keys(value)))) {
    const given = values.flatMap((value) => (Object.hasOwn(value, key) ? [value[key]] : []));
    if (given.every(Array.isArray)) merged[key] = given.flat();
    else if (new Set(given.map((value) => JSON.stringify(value))).size === 1) merged[key] = given[0];
    else return undefined;
  }
  return merged;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isJsonLike(text: string, schema: JsonSchema): boolean {
  const value = parse(text);
  return value !== undefined && (!isRecord(schema) || looksLike(value, schema));
}

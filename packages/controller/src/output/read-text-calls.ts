import { isRecord } from "@planloom/plan";
import type { ModelToolCall } from "../model.ts";
import { withoutThinking } from "./thinking.ts";

interface Named {
  readonly name: string;
}

/** How models write calls whose server does not read them: Hermes and Qwen, Llama, Mistral; and in a fence, where they make do. */
const wrappers: readonly RegExp[] = [
  /^<(tool_calls?|function_calls?)>([\s\S]*?)<\/\1>/i,
  /^```(json|tool_calls?|tool_code|)[ \t]*\r?\n([\s\S]*?)\r?\n[ \t]*```/i,
];
const llamaCall = /^<function=([\w.:/-]+)>([\s\S]*?)<\/function>/;
const leading = /^(?:\[TOOL_CALLS\]|<\|python_tag\|>)\s*/;
const argumentFields = ["arguments", "parameters", "args", "input"] as const;
const callFields: ReadonlySet<string> = new Set(["id", "type", "name", ...argumentFields]);

/**
 * Reads calls that a model wrote as text. Only a text that is nothing but calls of known tools is one: fenced or tagged or bare JSON
 * objects `{"name", "arguments"}`, or a list of them; never a part of a text, which may quote what a tool gave.
 * @returns `undefined` for any other text
 */
export function readTextCalls(text: string, tools: readonly Named[]): ModelToolCall[] | undefined {
  const names = new Set(tools.map(({ name }) => name));
  let rest = withoutThinking(text).trim();
  if (names.size === 0 || rest === "" || rest.length > maxTextLength) return undefined;
  rest = rest.replace(leading, "");
  const calls: ModelToolCall[] = [];
  while (rest !== "") {
    const part = nextPart(rest);
    const found = part === undefined ? undefined : part.calls(names);
    if (part === undefined || found === undefined) return undefined;
    calls.push(...found);
    rest = rest.slice(part.length).trimStart();
  }
  return calls.length === 0 ? undefined : calls;
}

const mark = /<(\/?)(tool_calls?|function_calls?|function)>|<function=[\w.:/-]+>|```/gi;

/** The parts of a text that calls are wrapped in: tags and fences, and what is between them. Linear. */
function* wrappedParts(text: string): Generator<string> {
  const marks = [...text.matchAll(mark)].map(({ 0: written, 1: slash, 2: tag, index: start }) => {
    const isFence = written === "```";
    const kind = tag?.toLowerCase() ?? (isFence ? written : "function");
    const closes = slash === "/" || isFence;
    // `<function>` alone has no name.
    const opens = isFence || (slash !== "/" && tag?.toLowerCase() !== "function");
    return { kind, opens, closes, start, end: start + written.length };
  });
  const lastEnds = new Map<string, number>();
  for (const [at, { kind, closes }] of marks.entries()) if (closes) lastEnds.set(kind, at);
  for (let at = 0; at < marks.length; at += 1) {
    const { kind, opens, start } = marks[at] as (typeof marks)[number];
    if (!opens || at >= (lastEnds.get(kind) ?? -1)) continue;
    let next = at + 1;
    while (!(marks[next]?.closes && marks[next]?.kind === kind)) next += 1;
    yield text.slice(start, marks[next]?.end);
    at = next;
  }
}

/** The name of a tool of which a call is written somewhere within a text that is more than that; `undefined` without such a call. */
export function quotedCall(text: string, tools: readonly Named[]): string | undefined {
  if (text.length > maxTextLength) return undefined;
  for (const part of wrappedParts(withoutThinking(text))) {
    const [call] = readTextCalls(part, tools) ?? [];
    if (call !== undefined) return call.name;
  }
  return undefined;
}

/** Calls are short; a longer text is an answer. */
const maxTextLength = 256 * 1024;

interface Part {
  readonly length: number;
  calls(names: ReadonlySet<string>): ModelToolCall[] | undefined;
}

function nextPart(text: string): Part | undefined {
  const llama = llamaCall.exec(text);
  if (llama !== null) {
    const [whole, name = "", written = ""] = llama;
    return { length: whole.length, calls: (names) => callsIn({ name, arguments: parse(written.trim()) }, names) };
  }
  for (const wrapper of wrappers) {
    const found = wrapper.exec(text);
    if (found === null) continue;
    const [whole, , inside = ""] = found;
    return { length: whole.length, calls: (names) => callsIn(parse(inside.trim()), names) };
  }
  // A closing tag is often left out at the end of a text.
  const bare = text.replace(/^<tool_calls?>\s*/i, "");
  return { length: text.length, calls: (names) => callsIn(parse(bare), names) };
}

function callsIn(value: unknown, names: ReadonlySet<string>): ModelToolCall[] | undefined {
  const entries: readonly unknown[] = Array.isArray(value)
    ? value
    : isRecord(value) && Array.isArray(value.tool_calls)
      ? value.tool_calls
      : [value];
  const calls = entries.map((entry) => callOf(entry, names));
  return calls.length > 0 && calls.every((call) => call !== undefined) ? calls : undefined;
}

function callOf(entry: unknown, names: ReadonlySet<string>): ModelToolCall | undefined {
  if (!isRecord(entry)) return undefined;
  // As the API has it: the call is within `function`.
  const call = isRecord(entry.function) ? entry.function : entry;
  const { name } = call;
  if (typeof name !== "string" || !names.has(name)) return undefined;
  if (Object.keys(call).some((field) => !callFields.has(field))) return undefined;
  const written = argumentFields.map((field) => call[field]).find((value) => value !== undefined);
  const id = typeof entry.id === "string" ? entry.id : "";
  if (isRecord(written)) return { id, name, arguments: JSON.stringify(written) };
  return typeof written === "string" && isRecord(parse(written)) ? { id, name, arguments: written } : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

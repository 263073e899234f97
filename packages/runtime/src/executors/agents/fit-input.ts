import { isRecord } from "@planloom/plan";
import { restOf } from "./conversation.ts";
import { commonLimit } from "./fit-tools.ts";
import type { ReadableOutputs } from "./readable-outputs.ts";

/** What the form of a digest takes in addition to the beginning of the value, in characters. */
const digestFrame = 300;
const leastShown = 400;
const shownFields = 30;

/** Characters of the values of an input, as JSON. */
export function inputCharacters(input: Readonly<Record<string, unknown>>): number {
  return Object.values(input).reduce((sum: number, value) => sum + (JSON.stringify(value) ?? "").length, 0);
}

/**
 * An input whose values together have no more than about `maxCharacters`, as JSON: longer ones are digests (their size, fields, and
 * beginning), and kept whole to be read in parts. All are cut to one length, so that short ones stay whole; a text that the model is asked keeps
 * its end too. The input itself where it fits.
 */
export function fitInput(
  input: Readonly<Record<string, unknown>>,
  maxCharacters: number,
  outputs: ReadableOutputs,
): Record<string, unknown> {
  const texts = new Map(Object.entries(input).map(([key, value]) => [key, JSON.stringify(value) ?? ""]));
  const lengths = [...texts.values()].map(({ length }) => length);
  if (lengths.reduce((sum, length) => sum + length, 0) <= maxCharacters) return { ...input };
  const limit = Math.max(leastShown, commonLimit(lengths, maxCharacters));
  const fitted: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    const text = texts.get(key) ?? "";
    // A conversation that was given is not data.
    if (text.length <= limit || key === "messages") {
      fitted[key] = value;
      continue;
    }
    const name = `input.${key}`;
    outputs.keep(name, value);
    fitted[key] =
      key === "prompt" || key === "system" ? shortenMiddle(String(value), limit, name) : digest(value, name, limit);
  }
  return fitted;
}

/** Instructions are at the beginning or at the end of what is asked. */
function shortenMiddle(text: string, limit: number, name: string): string {
  const head = Math.floor(limit * 0.6);
  const tail = Math.floor(limit * 0.3);
  const mark = `… (cut here; ${text.length} characters in all; ${restOf(name)}) …`;
  return `${text.slice(0, head)}${mark}${text.slice(-tail)}`;
}

function digest(value: unknown, name: string, limit: number): object {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return {
    cut: `This is only the beginning: ${restOf(name)}.`,
    characters: text.length,
    ...(Array.isArray(value) && { entries: value.length, ...fieldsOf(value[0]) }),
    ...fieldsOf(value),
    begins: text.slice(0, Math.max(leastShown, limit - digestFrame)),
  };
}

function fieldsOf(value: unknown): object {
  return isRecord(value) ? { fields: Object.keys(value).slice(0, shownFields) } : {};
}

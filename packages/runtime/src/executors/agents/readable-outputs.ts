import { type JsonSchema, PlanError, parseReference, readPath } from "@planloom/plan";
import type { OwnTool } from "./own-tool.ts";

/** Characters of one part, and the most that may be asked for. */
const usualPart = 8_000;
const longestPart = 16_000;
/** Around what was searched for, in characters, and how many places are shown. */
const around = 200;
const maxMatches = 20;
/** Characters of all that is kept for one model; the oldest go first. */
const maxKept = 64 * 1024 * 1024;
const shownNames = 20;

const parameters: JsonSchema = {
  type: "object",
  properties: {
    of: { type: "string", description: "Which output, by the name in its mark." },
    from: { type: "integer", minimum: 0, description: "First character of the part; 0 by default." },
    length: { type: "integer", minimum: 1, maximum: longestPart, description: `Characters; ${usualPart} by default.` },
    search: { type: "string", minLength: 1, description: "Shows where this text is instead, from `from` on." },
    path: { type: "string", description: "Reads one field of it, as in `items[3].name` or `items.*.id`." },
  },
  required: ["of"],
  additionalProperties: false,
};

/**
 * Values that are too long for a prompt, whole, under names by which a model can read them in parts. It holds what the model was given and
 * what its own calls gave, and nothing else of the run.
 */
export class ReadableOutputs {
  readonly #values = new Map<string, unknown>();
  readonly #texts = new Map<string, string>();
  #characters = 0;

  get size(): number {
    return this.#values.size;
  }

  keep(name: string, value: unknown): void {
    const text = textOf(value);
    this.#drop(name);
    this.#values.set(name, value);
    this.#texts.set(name, text);
    this.#characters += text.length;
    for (const oldest of this.#values.keys()) {
      if (this.#characters <= maxKept || oldest === name) break;
      this.#drop(oldest);
    }
  }

  #drop(name: string): void {
    this.#characters -= this.#texts.get(name)?.length ?? 0;
    this.#values.delete(name);
    this.#texts.delete(name);
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** The tool that a model reads them with. */
  tool(): OwnTool {
    return {
      name: "read_output",
      description:
        "Reads an output that was cut in this conversation: a part of it, a field of it, or where a text is in it.",
      parameters,
      isReader: true,
      call: (input) => this.#read(input as unknown as ReadRequest),
    };
  }

  #read({ of: name, from = 0, length = usualPart, search, path }: ReadRequest): ReturnType<OwnTool["call"]> {
    const whole = this.#texts.get(name);
    if (whole === undefined) return { ok: false, message: this.#unknown(name) };
    const read = path === undefined || path === "" ? { text: whole } : readField(this.#values.get(name), name, path);
    if ("problem" in read) return { ok: false, message: read.problem };
    const { text } = read;
    const about = { of: name, ...(path && { path }), characters: text.length };
    if (search !== undefined) return { ok: true, output: { ...about, ...matchesIn(text, search, from) } };
    const to = Math.min(text.length, from + length);
    return { ok: true, output: { ...about, from, to, text: text.slice(from, to) } };
  }

  #unknown(name: string): string {
    const names = [...this.#values.keys()].slice(-shownNames);
    const known = names.length === 0 ? "There is nothing to read." : `Expected one of: ${names.join(", ")}.`;
    return `There is no output ${JSON.stringify(name.slice(0, 100))}. ${known}`;
  }
}

interface ReadRequest {
  readonly of: string;
  readonly from?: number;
  readonly length?: number;
  readonly search?: string;
  readonly path?: string;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
}

function readField(
  value: unknown,
  name: string,
  path: string,
): { readonly text: string } | { readonly problem: string } {
  try {
    const reference = parseReference(`output${/^[.[]/.test(path) ? "" : "."}${path}`);
    const read = readPath(valueIn(value), reference.path, { optional: reference.optional });
    if (read.found) return { text: textOf(read.value) };
    return { problem: `"${name}" has no \`${read.at}\`.` };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    return { problem: `The path ${JSON.stringify(path.slice(0, 200))} cannot be read: ${error.message}` };
  }
}

/** Tools often give JSON as a text. */
function valueIn(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** The position of a text, without regard to case. O(n) */
function matchesIn(text: string, search: string, from: number): object {
  const [lower, wanted] = [text.toLowerCase(), search.toLowerCase()];
  const matches: { at: number; text: string }[] = [];
  let at = lower.indexOf(wanted, from);
  for (; at >= 0 && matches.length < maxMatches; at = lower.indexOf(wanted, at + wanted.length)) {
    matches.push({ at, text: text.slice(Math.max(0, at - around), at + wanted.length + around) });
  }
  return { search, matches, ...(at >= 0 && { more_from: at }) };
}

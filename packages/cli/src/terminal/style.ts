import { stripVTControlCharacters, styleText } from "node:util";
import type { TextSink } from "../io.ts";

type Format = Parameters<typeof styleText>[0];

/** Colours and glyphs for one output, settled once: a pipe, `NO_COLOR` or `TERM=dumb` gets plain text. */
export interface Style {
  readonly colour: boolean;
  readonly unicode: boolean;
  /** Rewrites lines in place; only for a terminal a person looks at. */
  readonly live: boolean;
  readonly width: number;
  paint(format: Format, text: string): string;
  /** The Unicode text where the terminal shows it, else the ASCII one. */
  glyph(unicode: string, ascii: string): string;
}

export function styleFor(sink: TextSink, env: Readonly<Record<string, string | undefined>>): Style {
  const terminal = sink.isTTY === true && env.TERM !== "dumb";
  const colour =
    env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== "0" ? true : terminal && (env.NO_COLOR ?? "") === "";
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || "";
  const unicode = env.TERM !== "dumb" && env.TERM !== "linux" && (locale === "" || /utf-?8/i.test(locale));
  return {
    colour,
    unicode,
    live: terminal && env.CI === undefined,
    width: Math.max(40, Math.min(sink.columns || 100, 160)),
    paint: (format, text) => (colour ? styleText(format, text, { validateStream: false }) : text),
    glyph: (wide, ascii) => (unicode ? wide : ascii),
  };
}

/** Text from a model, a tool or a file on its way to a terminal: one line, no control characters. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/gu, " ");
}

/** The same with its lines and blanks as they are. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(/[^\P{Cc}\n\t]|[\p{Bidi_Control}\u2028\u2029]/gu, "");
}

/** Milliseconds as a person reads them: `8 ms`, `1.24 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(2)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** How far a task with `for_each` is: `7,312 of 10,000, 3 failed`. The total is left out where it is not known. */
export function elementsText(counts: {
  readonly total?: number;
  readonly completed?: number;
  readonly failed?: number;
  readonly skipped?: number;
}): string {
  const { total, completed = 0, failed = 0, skipped = 0 } = counts;
  const number = (value: number) => value.toLocaleString("en-US");
  const ended = completed + failed + skipped;
  const parts = [total === undefined ? `${count(ended, "element")} ended` : `${number(ended)} of ${number(total)}`];
  if (failed > 0) parts.push(`${number(failed)} failed`);
  if (skipped > 0) parts.push(`${number(skipped)} skipped`);
  return parts.join(", ");
}

/** `1 task`, `3 tasks`. */
export function count(n: number, noun: string): string {
  // The first number that a process writes in a language takes it 15 ms, a tenth of its start.
  const number = n < 1_000 ? String(n) : n.toLocaleString("en");
  return `${number} ${noun}${n === 1 ? "" : "s"}`;
}

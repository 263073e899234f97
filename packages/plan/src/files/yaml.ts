import { createRequire } from "node:module";
import { checkTextSize } from "../dialects/json-values.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";

/** Most aliases a document may expand to; beyond it is refused, so that a small file cannot grow without end. */
const maxAliasCount = 100;

/** Most anchors; the parser takes quadratic time over those that repeat (measured 7 s for 50,000). */
const maxAnchors = 1_000;

/** Limit of a YAML text, in bytes: 4 MiB. The parser reads about 1 MB a second, JSON's a hundred. */
export const maxYamlBytes = 4 * 1024 * 1024;

type Yaml = typeof import("yaml");
let yaml: Yaml | undefined;

/** Loaded on first use: 30 ms that a JSON plan need not pay. */
function loadYaml(): Yaml {
  yaml ??= createRequire(import.meta.url)("yaml") as Yaml;
  return yaml;
}

/**
 * Reads one YAML 1.2 document; anchors within limits, no tags of other types, no duplicate keys.
 * @throws PlanError INVALID with line and column where YAML knows them, TOO_LARGE
 */
export function parseYaml(text: string): { document: unknown } {
  checkTextSize(text, maxYamlBytes);
  let anchors = 0;
  for (const _ of text.matchAll(/(?<![^\s,[{])&[^\s,\]}]/g)) anchors += 1;
  if (anchors > maxAnchors) throw invalidYaml(`more than ${maxAnchors} anchors`, undefined, undefined);
  const { parseDocument } = loadYaml();
  try {
    const document = parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: true, prettyErrors: true });
    const [error] = document.errors;
    if (error) {
      const [start] = error.linePos ?? [];
      const place = start ? ` at line ${start.line}, column ${start.col}` : "";
      const [summary = ""] = error.message.split("\n");
      throw invalidYaml(`${summary.replace(/ at line \d+, column \d+:?$/, "")}${place}`, start, error);
    }
    return { document: document.toJS({ maxAliasCount }) as unknown };
  } catch (cause) {
    if (cause instanceof PlanError) throw cause;
    const why =
      cause instanceof RangeError ? "it is nested too deep" : cause instanceof Error ? cause.message : String(cause);
    throw invalidYaml(why, undefined, cause);
  }
}

/**
 * A value given as JSON text, as YAML with unbroken lines. Texts of several lines are blocks where those read back unchanged
 * (yaml 2.9 loses blanks at the start of some), else quoted.
 * @throws PlanError TOO_LARGE for what could not be read again.
 */
export function formatYaml(json: string): string {
  const { stringify } = loadYaml();
  const value: unknown = JSON.parse(json);
  const options = { version: "1.2", schema: "core", lineWidth: 0, aliasDuplicateObjects: false } as const;
  const text = stringify(value, options);
  checkTextSize(text, maxYamlBytes);
  const hasLines = json.includes("\\n") || json.includes("\\r");
  if (!hasLines || JSON.stringify(parseYaml(text).document) === JSON.stringify(value)) return text;
  return stringify(value, { ...options, blockQuote: false });
}

function invalidYaml(message: string, start: { line: number; col: number } | undefined, cause: unknown): PlanError {
  const place = start ? { line: start.line, column: start.col } : {};
  return new PlanError(PlanErrorCode.INVALID, `Expected a plan as YAML: ${message}.`, {
    details: { issues: [{ path: "", message, ...place }], ...place },
    cause,
  });
}

import type { Document } from "yaml";
import { loadYaml } from "#lazy/yaml";
import { checkTextSize } from "../dialects/json-values.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { placeOf } from "./json-error-offset.ts";

/** Most aliases a document may expand to; beyond it is refused, so that a small file cannot grow without end. */
const maxAliasCount = 100;

/** Limit of a YAML text, in bytes: 4 MiB. The parser reads about 1 MB a second, JSON's a hundred times that. */
export const maxYamlBytes = 4 * 1024 * 1024;

/**
 * Reads one YAML 1.2 document; anchors within limits, no tags of other types, no duplicate keys.
 * @throws PlanError INVALID with line and column where YAML knows them, TOO_LARGE
 */
export function parseYaml(text: string): { document: unknown } {
  checkTextSize(text, maxYamlBytes);
  const { parseDocument } = loadYaml();
  try {
    // Pretty errors and the parser's own check of keys take quadratic time (measured: 75 s for 400 kB of quotes).
    const document = parseDocument(text, { version: "1.2", schema: "core", uniqueKeys: false, prettyErrors: false });
    const [error] = document.errors;
    if (error) throw invalidYaml(error.message, placeOf(text, error.pos[0]), error);
    const twice = duplicateKey(document);
    if (twice) {
      const place = placeOf(text, twice.offset);
      throw invalidYaml(`the key ${JSON.stringify(twice.key)} appears twice in one map`, place, undefined);
    }
    return { document: document.toJS({ maxAliasCount }) as unknown };
  } catch (cause) {
    if (cause instanceof PlanError) throw cause;
    const why =
      cause instanceof RangeError ? "it is nested too deep" : cause instanceof Error ? cause.message : String(cause);
    throw invalidYaml(why, undefined, cause);
  }
}

/** The first key that a map has twice. */
function duplicateKey(document: Document): { key: string; offset: number } | undefined {
  const { isScalar, visit } = loadYaml();
  let twice: { key: string; offset: number } | undefined;
  visit(document, {
    Map(_, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        const text = String(key.value);
        if (seen.has(text)) {
          twice = { key: text, offset: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        seen.add(text);
      }
      return undefined;
    },
  });
  return twice;
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

function invalidYaml(message: string, place: { line: number; column: number } | undefined, cause: unknown): PlanError {
  const at = place ? ` at line ${place.line}, column ${place.column}` : "";
  return new PlanError(PlanErrorCode.INVALID, `Expected a plan as YAML: ${message}${at}.`, {
    details: { issues: [{ path: "", message, ...place }], ...place },
    cause,
  });
}

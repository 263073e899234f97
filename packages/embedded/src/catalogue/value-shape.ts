import type { Parameter } from "./parameter.ts";

/** What a value is by the way it is written, whatever it is called. */
export type ValueShape = "path" | "link" | "mail" | "cells" | "stamp" | "code" | "slug" | "emoji";

const forms: readonly (readonly [ValueShape, RegExp])[] = [
  ["mail", /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/],
  ["link", /^(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S+$/i],
  ["cells", /^(?:'?[\p{L}\d_ ]+'?!)?\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?$/u],
  ["stamp", /^\d{9,13}(?:\.\d{1,9})?$/],
  ["path", /^(?:~|\.{1,2})?(?:\/[^\s/]+)+\/?$|^[a-z]:\\\S*$|^(?:[^\s/]+\/)+[^\s/]*\.[a-z][a-z0-9]{1,4}$/i],
  ["slug", /^(?=.*\p{L})[\p{L}\d_.-]+\/[\p{L}\d_.-]+$/u],
  ["path", /^[^\s/]*\*[^\s]*$|^[\p{L}\d_-]+(?:\.[\p{L}\d_-]+)*\.[a-z][a-z0-9]{1,4}$/iu],
  ["code", /^(?=.*\d)(?=.*\p{L})[\p{L}\d_-]{4,}$|^\p{Ll}+\p{Lu}[\p{L}\d]*$|^\d{14,}$|^\d+(?:\/\d+)+$/u],
  ["emoji", /^(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u{200d}|\u{fe0f})*)+$|^:[a-z][\w+-]*:$/u],
];

/** The shape of one written word; undefined where words alone say nothing. O(length). */
export function shapeOf({ kind, text }: { readonly kind: string; readonly text: string }): ValueShape | undefined {
  if (kind === "date" || kind === "list" || text.length > 2000) return undefined;
  const found = forms.find(([, form]) => form.test(text))?.[0];
  // A quotation is what somebody says, unless it can be nothing else.
  return kind === "quoted" && (found === "code" || found === "slug" || found === "cells") ? undefined : found;
}

const names: readonly (readonly [ValueShape, RegExp])[] = [
  ["link", /\b(?:url|uri|href|link|website|webpage|endpoint)s?\b/],
  ["mail", /\b(?:e ?mail|mail)s?\b/],
  ["path", /\b(?:path|file ?path|file|file ?name|dir|directory|folder|workbook|archive)s?\b/],
  ["cells", /\b(?:range|cell)s?\b/],
  ["stamp", /\b(?:ts|timestamp|epoch)\b/],
  ["emoji", /\b(?:emoji|emoticon|reaction)s?\b/],
];
const descriptions: readonly (readonly [ValueShape, RegExp])[] = [
  ["link", /\burls?\b(?!-)|\bhttps?:\/\//i],
  ["mail", /\be-?mail address/i],
  [
    "path",
    /\b(?:file|directory|folder)(?: ?name)?s? (?:path|to)\b|\bpaths? (?:to|of|for)\b|\b(?:full|absolute|relative) path\b/i,
  ],
  ["cells", /\bcell (?:range|reference|address)|\b[A-Z]\d+:[A-Z]\d+\b/],
];

const nested = /\bencoded path\b|\bowner\/\w|\bnamespace\/\w/i;

/** Shapes that a parameter's name, format or description asks for; empty where it may hold anything. */
export function shapesOf({ words, format, description, isIdentifier, types }: Parameter): ReadonlySet<ValueShape> {
  const found = new Set<ValueShape>();
  if (types.size > 0 && !types.has("string")) return found;
  if (format === "uri" || format === "url" || format === "uri-reference") found.add("link");
  if (format === "email") found.add("mail");
  const name = words.join(" ");
  for (const [shape, pattern] of names) if (pattern.test(name)) found.add(shape);
  // "URL-encoded path to the project" is the name of a project within another, rather than of a file.
  if (found.size === 0 && nested.test(description)) found.add("slug");
  if (found.size === 0) for (const [shape, pattern] of descriptions) if (pattern.test(description)) found.add(shape);
  if (found.size === 0 && isIdentifier) found.add("code");
  if (found.has("emoji") && isIdentifier) return new Set(["code"]);
  return found;
}

const ends: ReadonlySet<string> = new Set(
  "source src from origin destination dest dst to target input output old new".split(" "),
);
const files = /\b(?:files?|folders?|director(?:y|ies)|paths?)\b/i;

/**
 * Likewise, with how a file of an image, a recording or a video is handed over, and with paths for `source` and `destination` of a
 * resource that says that it is about files.
 */
export function shapesTaken(parameter: Parameter, description: string): ReadonlySet<ValueShape> {
  const { medium, words, types } = parameter;
  const found = shapesOf(parameter);
  const isEnd = words.every((word) => ends.has(word)) && (types.size === 0 || types.has("string"));
  if (found.size === 0 && isEnd && files.test(description)) return new Set(["path"]);
  return medium === undefined || medium === "text" ? found : new Set([...found, "path", "link"]);
}

/** Shapes that a value of another one cannot replace: a path is not a link, words are not cells. */
const closed: ReadonlySet<ValueShape> = new Set(["link", "mail", "cells", "stamp", "path"]);

/** How well two shapes agree. `likely` is a long number where a code is taken, `plainWords` are words or a code where another shape is asked for. */
const shapeScores = { same: 1, likely: 0.5, plainWords: -0.5, other: -1 } as const;

/**
 * How well the shape of a value and those that a parameter takes agree: 1 where it is one of them, -1 where the parameter takes
 * another one or another parameter of the call takes this one, -0.5 for plain words where a shape is asked for, else 0.
 */
export function shapeAgreement(
  shape: ValueShape | undefined,
  taken: ReadonlySet<ValueShape>,
  takenElsewhere: boolean,
): number {
  if (shape === undefined) return [...taken].some((each) => closed.has(each)) ? shapeScores.plainWords : 0;
  if (taken.has(shape) || (shape === "slug" && taken.has("path"))) return shapeScores.same;
  // So may a name within another.
  if (shape === "slug" && taken.has("code")) return shapeScores.likely;
  // "L22" is a cell only where somebody takes cells.
  if (shape === "cells" && !takenElsewhere && taken.has("code")) return shapeScores.likely;
  // A long number may be an id as well.
  if (shape === "stamp" && taken.has("code")) return shapeScores.likely;
  if (shape === "code") return [...taken].some((each) => closed.has(each)) ? shapeScores.plainWords : 0;
  return taken.size > 0 || takenElsewhere ? shapeScores.other : 0;
}

import { isDeepStrictEqual } from "node:util";
import { IssueCode, isRecord, type JsonSchema, type PlanIssue } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { cut } from "../transport/cut.ts";
import { looksLike, propertyKeys, requiredKeys } from "./looks-like.ts";
import { markedRegions, type Region } from "./marked-regions.ts";
import { type Parsed, parseBroken, parseHidden, parseLoosely, parseStrictly, unwrapString } from "./parse-loosely.ts";
import { readByKeys } from "./read-by-keys.ts";
import { nearLength, type OutputRepair, RepairLog } from "./repairs.ts";
import { maxSpans, type Scan, type Span, scanValues } from "./scan-values.ts";
import { settleNames } from "./settle-names.ts";
import { splitThinking } from "./thinking.ts";

export interface ReadOutputOptions {
  /** What is expected. Only chooses between several values; it does not validate. */
  readonly schema?: JsonSchema;
  /** Keys that the wanted object has, without a schema, or with a wider one. */
  readonly prefer?: readonly string[];
  /** @default 4 Mi */
  readonly maxCharacters?: number;
}

export type ReadOutput =
  | {
      readonly found: true;
      readonly value: unknown;
      /** What was repaired in a value that was not JSON; empty when it was. The first twenty. */
      readonly repairs: readonly OutputRepair[];
      /** The value ends where the text was cut off; what was incomplete is left out. */
      readonly truncated: boolean;
      /** The text says two things, of which the value is one: what they are, in words that may follow "because". Absent where it says one thing. */
      readonly contradiction?: string;
    }
  | { readonly found: false; readonly issues: readonly PlanIssue[] };

interface Candidate extends Parsed {
  readonly truncated: boolean;
  readonly score: number;
  readonly length: number;
  /** A whole value of its own, in a fence or tag or not. */
  readonly place?: "marked" | "bare";
}

/** What is taken. It is one of two where another value of the same form says something else. */
interface Taken extends Candidate {
  readonly isOneOfTwo: boolean;
}

/** Fixed wording: the Planner Agent's callers match on it. */
const notFound = "Could not extract valid JSON from response";

/**
 * Reads a value from what a model wrote: think blocks, fences, tags and prose around it, several values of which one
 * is meant, broken or unclosed JSON. Total: any text gives a value or issues. A string of the value is always in
 * the text; what is cut off in the middle is left out rather than guessed. Linear in the text's length.
 */
export function readOutput(text: string, options: ReadOutputOptions = {}): ReadOutput {
  checkOptions("`readOutput`", options, { schema: "own", prefer: "texts", maxCharacters: "nonNegative" });
  const { maxCharacters = 4 * 1024 * 1024, schema } = options;
  if (text.length > maxCharacters) {
    const expected = `at most ${maxCharacters} characters`;
    return unreadable("The answer of the model is too long to be read", expected, `${text.length} characters`);
  }
  const strict = parseStrictly(text);
  if (strict !== undefined) {
    const { value, repairs, twice } = unwrapString(strict);
    if (isWanted(value, schema)) {
      return { found: true, value, repairs, truncated: false, ...contradictionOf(twice) };
    }
  }
  const { answer, unclosed } = splitThinking(text);
  const best =
    readAnswer(answer, options) ??
    readBest(unclosed, scanValues(unclosed), options, (candidate) => isFinal(candidate, options));
  if (best !== undefined) {
    const log = new RepairLog();
    for (const { what, near } of best.repairs) log.add(what, near);
    // Where nothing had to be repaired, a name is kept as the model wrote it, legal or not.
    const value = best.repairs.length === 0 ? best.value : settleNames(best.value, schema, log);
    return {
      found: true,
      value,
      repairs: log.entries,
      truncated: best.truncated,
      ...contradictionOf(best.twice, best.isOneOfTwo),
    };
  }
  return unreadable(notFound, "a JSON value", text.trim() === "" ? "an empty answer" : cut(text, 200));
}

function contradictionOf(twice: string | undefined, isOneOfTwo = false): { readonly contradiction?: string } {
  if (isOneOfTwo) return { contradiction: "there are two values of the same form, which say different things" };
  return twice === undefined
    ? {}
    : { contradiction: `the key ${JSON.stringify(cut(twice, 80))} is there twice, with different values` };
}

/** Inside an unclosed thought only a whole value of the expected form counts; drafts do not. */
function isFinal(candidate: Candidate, options: ReadOutputOptions): boolean {
  const fits = options.schema !== undefined && looksLike(candidate.value, options.schema);
  return !candidate.truncated && (fits || hasPreferred(candidate.value, options));
}

/** Reads the answer as given. If nothing in it is whole or fits, and it is JSON with escaped quotes, it is read without the escapes. */
function readAnswer(text: string, options: ReadOutputOptions): Taken | undefined {
  const scan = scanValues(text);
  const best = readBest(text, scan, options);
  if (best !== undefined && (best.score >= fitScore || (best.repairs.length === 0 && isTelling(best.value)))) {
    return best;
  }
  const plain = scan.escaped ? text.replaceAll('\\"', '"') : undefined;
  const unescaped = plain === undefined ? undefined : readBest(plain, scanValues(plain), options);
  return unescaped !== undefined && (best === undefined || isBetter(unescaped, best))
    ? { ...unescaped, repairs: [{ what: "escape", near: "" }, ...unescaped.repairs] }
    : best;
}

function readBest(
  text: string,
  { spans }: Scan,
  options: ReadOutputOptions,
  accept: (candidate: Candidate) => boolean = () => true,
): Taken | undefined {
  let best: Candidate | undefined;
  const whole: Candidate[] = [];
  for (const candidate of candidates(text, spans, options)) {
    if (!accept(candidate)) continue;
    if (candidate.place !== undefined && whole.length < maxCompared) whole.push(candidate);
    if (best === undefined || isBetter(candidate, best)) best = candidate;
  }
  if (best === undefined) return undefined;
  const taken = best;
  return { ...taken, isOneOfTwo: whole.some((other) => other !== taken && contradicts(other, taken)) };
}

/** So many whole values of a text are compared with the one that is taken. */
const maxCompared = 32;

/** Objects with the same keys, side by side, that are not the same. A draft in prose before an answer in a fence is a draft. */
function contradicts(other: Candidate, taken: Candidate): boolean {
  if (other.place !== taken.place || !isRecord(other.value) || !isRecord(taken.value)) return false;
  const formOf = (value: object) => JSON.stringify(Object.keys(value).sort());
  return formOf(other.value) === formOf(taken.value) && !isDeepStrictEqual(other.value, taken.value);
}

function isBetter(candidate: Candidate, best: Candidate): boolean {
  return candidate.score === best.score ? candidate.length > best.length : candidate.score > best.score;
}

function* candidates(text: string, spans: readonly Span[], options: ReadOutputOptions): Generator<Candidate> {
  const regions = markedRegions(text);
  let region = 0;
  let fits = false;
  let tried = 0;
  for (const span of spans.toSorted((left, right) => left.start - right.start)) {
    while ((regions[region]?.[1] ?? text.length) <= span.start) {
      region += 1;
    }
    const marked = (regions[region]?.[0] ?? text.length) <= span.start;
    // A part of what fits is less than it.
    if (span.kind === "inside" && fits) continue;
    tried += 1;
    if (tried > maxSpans) {
      break;
    }
    for (const candidate of readSpan(text, span, marked, options)) {
      fits ||= candidate.score >= fitScore;
      yield candidate;
    }
  }
  if (!fits) {
    yield* readBare(text, regions, options);
    const byKeys = options.schema === undefined ? undefined : readByKeys(text, options.schema);
    if (byKeys !== undefined) {
      // Least of what fits, since values in so broken a text may reach too far.
      yield { value: byKeys, repairs: [{ what: "keys", near: "" }], truncated: false, score: fitScore, length: 0 };
    }
  }
}

function* readSpan(text: string, span: Span, marked: boolean, options: ReadOutputOptions): Generator<Candidate> {
  const { start, end, kind } = span;
  const candidate = ({ value, repairs, twice }: Parsed, last: number, truncated: boolean): Candidate => ({
    value,
    ...(twice !== undefined && { twice }),
    ...(kind === "whole" && !truncated && { place: marked ? "marked" : "bare" }),
    repairs: truncated ? [...repairs, { what: "cut", near: text.slice(end, end + nearLength) }] : repairs,
    truncated,
    score: score(value, options) + (marked ? 2 : 0) + (repairs.length > 0 ? 0 : 1) - (kind === "inside" ? 50 : 0),
    length: last - start,
  });
  const isMeant = ({ value, repairs }: Parsed) =>
    isTelling(value) || (repairs.length === 0 && !span.cut && isWanted(value, options.schema));
  if (kind === "open" && text.length <= hiddenCharacters) {
    const hidden = parseHidden(text, start);
    if (hidden !== undefined && isMeant(hidden)) {
      yield candidate(hidden, hidden.end, false);
      return;
    }
  }
  const parsed = readAlone(text.slice(start, end), kind);
  if (parsed !== undefined && isMeant(parsed)) yield candidate(parsed, end, span.cut);
}

/** Text that never closes is not JSON; a list without a record is taken only if it is JSON. */
function readAlone(text: string, kind: Span["kind"]): Parsed | undefined {
  const mayTell = text.includes("{");
  if (kind === "open") return mayTell ? parseBroken(text) : undefined;
  return mayTell ? parseLoosely(text) : parseStrictly(text);
}

/** `"tool": "x", "arguments": {}` with no braces around, as some models leave them out. */
function* readBare(text: string, regions: readonly Region[], options: ReadOutputOptions): Generator<Candidate> {
  for (const [start, end] of [...regions.slice(0, maxSpans), [0, text.length] as const]) {
    const bare = text.slice(start, end).trim();
    if (/^["']?\w{1,64}["']?\s*:/.test(bare) && bare.length <= bareCharacters) {
      const parsed = parseLoosely(`{${bare}`);
      if (parsed !== undefined && isRecord(parsed.value) && hasExpected(parsed.value, options)) {
        yield { ...parsed, truncated: false, score: score(parsed.value, options), length: 0 };
      }
    }
  }
}

/** A second look at a text that seems cut off; one longer than this most likely is. */
const hiddenCharacters = 256 * 1024;

/** Regions may overlap, so what is read of each is bounded. */
const bareCharacters = 64 * 1024;

const fitScore = 100;

/** How much a value looks like what is expected. Only the order counts. */
function score(value: unknown, options: ReadOutputOptions): number {
  const { schema, prefer = [] } = options;
  let points = isRecord(value) ? 5 : Array.isArray(value) && value.some(isRecord) ? 4 : 0;
  if (schema !== undefined && looksLike(value, schema)) {
    points += fitScore;
  }
  if (isRecord(value)) {
    const keys = new Set(schema === undefined ? [] : propertyKeys(schema));
    points += Object.keys(value).filter((key) => keys.has(key)).length;
    points += 20 * prefer.filter((key) => Object.hasOwn(value, key)).length;
  }
  return points;
}

function hasPreferred(value: unknown, { prefer = [] }: ReadOutputOptions): boolean {
  return isRecord(value) && prefer.length > 0 && prefer.every((key) => Object.hasOwn(value, key));
}

function hasExpected(value: Record<string, unknown>, { schema, prefer = [] }: ReadOutputOptions): boolean {
  const expected = [...(schema === undefined ? [] : [...requiredKeys(schema), ...propertyKeys(schema)]), ...prefer];
  return expected.some((key) => Object.hasOwn(value, key));
}

/** A schema of objects rules out scalars and lists of them; a list of objects may still be what it wraps. */
function isWanted(value: unknown, schema: JsonSchema | undefined): boolean {
  if (isRecord(value) || (Array.isArray(value) && (value.length === 0 || value.some(isRecord)))) {
    return true;
  }
  return schema === undefined || looksLike(value, schema);
}

/** Prose in brackets, such as `[see above]`, reads as a list of words once it is repaired. */
function isTelling(value: unknown): boolean {
  return isRecord(value) ? Object.keys(value).length > 0 : Array.isArray(value) && value.some(isRecord);
}

function unreadable(message: string, expected: string, actual: string): ReadOutput {
  return { found: false, issues: [{ code: IssueCode.UNREADABLE, severity: "error", message, expected, actual }] };
}

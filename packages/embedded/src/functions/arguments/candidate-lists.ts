import type { Parameter } from "../../catalogue/parameter.ts";
import type { Span } from "../../language/clauses/spans.ts";
import type { Token } from "../../language/text/token.ts";
import type { Features } from "../learned/weigh.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import type { Call, Known } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { numberFor } from "./candidate-numbers.ts";
import { endHeld } from "./ends.ts";
import type { Excerpt } from "./excerpts.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { excerptFeatures, innerOf, proximityOf, textFeatures } from "./features.ts";
import { labelAgreement, labelsOf } from "./labels.ts";
import { isNumeric, isTextual, type ParameterReading } from "./parameter-reading.ts";
import { isOrdering } from "./surroundings.ts";

/** "A, B and C" as one list; also written as "[A, B]", and an object as JSON. */
export function fromLists(call: Call, readings: readonly ParameterReading[], known: Known): Candidate[] {
  const takers = readings.filter(
    ({ parameter }) => (parameter.takesList || joinsByCommas(parameter)) && parameter.choices.length === 0,
  );
  const found: Candidate[] = [];
  for (const span of call.spans) {
    if (span.kind !== "list") continue;
    for (const reading of readings) {
      const { parameter } = reading;
      const list = parameter.takesList;
      const fits = Array.isArray(span.value) ? list : parameter.types.has("object");
      if (!fits) continue;
      const near = proximityOf(parameter, span, []);
      const features: Features = [
        ["written", 1],
        ["near left", near.left],
        ["near right", near.right],
        ["far in order", reading.rivals === 0 ? 0 : 1],
      ];
      found.push({
        group: "list",
        reading,
        features,
        parts: [[span.from, span.to]],
        spans: [span],
        value: list && !parameter.takesOne && !Array.isArray(span.value) ? [span.value] : span.value,
        said: span.text,
      });
    }
  }
  if (takers.length === 0) return found;
  const lists = takers.filter(({ parameter }) => parameter.takesList);
  for (const span of call.spans) found.push(...fromQuoted(span, lists));
  // "between A and B" names the two ends of something, where arguments hold them.
  const hasEnds = ["origin", "target"].every((end) => readings.some(({ parameter }) => endHeld(parameter) === end));
  for (const chain of chainsOf(call)) {
    const first = chain[0]!;
    if (hasEnds && call.tokens[first.from - 1]?.lower === "between") continue;
    const inner = chain.flatMap(innerOf);
    const shared = excerptFeatures(first, known, inner);
    const labels = labelsOf(first, call.tokens, known.knows);
    const isThings = nounOfId(call.tokens, first.from) !== undefined;
    for (const reading of takers) {
      const { parameter } = reading;
      const numeric = chain.every((each) => each.kind === "number");
      if (numeric ? !isNumeric(parameter) && !isTextual(parameter) : !isTextual(parameter)) continue;
      // "tasks 5, 6 and 7" are none of the fields that a text lists.
      if (numeric && isThings && !parameter.takesList && !parameter.isIdentifier) continue;
      // Items of no stated type: numbers are numbers.
      const asNumbers = numeric && (isNumeric(parameter) || parameter.types.size === 0);
      const values = chain.map((each) => (asNumbers ? numberFor(parameter, each, call.tokens) : each.text));
      if (values.some((value) => value === undefined)) continue;
      const near = proximityOf(parameter, first, inner);
      found.push({
        group: "list",
        reading,
        features: [
          ...shared,
          ...textFeatures(reading, first, near, 0, inner),
          ["chain", 1],
          ["longer chain", chain.length - 2],
          ["last closes", Number(chain.at(-1)!.closes)],
          ["in brackets", Number(inBrackets(chain, call.tokens))],
          ["introduced", Number(isIntroduced(first, call.tokens))],
          ["head is whole", Number(first.opens)],
          ["numbers", Number(numeric)],
          ["mixed", Number(!numeric && chain.some((each) => each.kind === "number"))],
          ["alike", Number(chain.every((each) => each.kind === first.kind && each.size === first.size))],
        ],
        outright: explicitLogOdds * Math.max(0, labelAgreement(reading, labels, readings, call.draft.profile)),
        parts: chain.map((each) => [each.from, each.to]),
        spans: [...new Set(chain.map((each) => each.base))],
        value: parameter.takesList ? values : values.join(","),
        said: chain.map((each) => each.text).join(", "),
      });
    }
  }
  return found;
}

/** A text that its description calls a list with commas between. */
const joinsByCommas = ({ types, description }: Parameter): boolean =>
  types.size === 1 && types.has("string") && /\bcomma[- ]?(?:separated|delimited)\b/i.test(description);

/** "'Ann, Bob'" for a parameter that takes a list. */
function fromQuoted(span: Span, takers: readonly ParameterReading[]): Candidate[] {
  const items =
    span.kind === "quoted"
      ? String(span.value)
          .split(",")
          .map((each) => each.trim())
      : [];
  if (items.length < 2 || items.some((each) => each === "" || each.split(/\s+/).length > 4)) return [];
  return takers.flatMap((reading): Candidate[] => {
    const { parameter } = reading;
    if (!isTextual(parameter)) return [];
    const near = proximityOf(parameter, span, []);
    return [
      {
        group: "list",
        reading,
        features: [
          ["quoted", 1],
          ["near left", near.left],
          ["near right", near.right],
          ["required", Number(parameter.required)],
        ],
        parts: [[span.from, span.to]],
        spans: [span],
        value: items,
        said: span.text,
      },
    ];
  });
}

/** "instruments such as A", "including A", "the following: A" */
function isIntroduced({ from }: Excerpt, tokens: readonly Token[]): boolean {
  const at = /^(?:the|an?|both|either)$/.test(tokens[from - 1]?.lower ?? "") ? from - 2 : from - 1;
  const before = tokens[at];
  if (before === undefined) return false;
  if (before.lower === "as") return tokens[at - 1]?.lower === "such";
  return before.text === ":" || /^(?:including|includes?|like|involving|namely|following|are)$/.test(before.lower);
}

/** "(3, 4)" */
function inBrackets(chain: readonly Excerpt[], tokens: readonly Token[]): boolean {
  return tokens[chain[0]!.from - 1]?.text === "(" && tokens[chain.at(-1)!.to]?.text === ")";
}

/** "30 x 20 x 15", "20 to 50", "4 by 6": between two numbers. */
function isMeasure(tokens: readonly Token[], at: number): boolean {
  const [before, sign, after] = tokens.slice(at - 1, at + 2);
  return before?.kind === "number" && after?.kind === "number" && /^(?:x|×|by|to)$/.test(sign?.lower ?? "");
}

/** Excerpts that are side by side, with commas and "and" between: two or more, the first and the last cut in several ways. */
function chainsOf({ excerpts, tokens }: Call): Excerpt[][] {
  const chains: Excerpt[][] = [];
  const starting = new Map<number, Excerpt[]>();
  for (const each of excerpts) {
    if (each.shape === "compound" || each.shape === "tail" || isOrdering(each)) continue;
    starting.set(each.from, [...(starting.get(each.from) ?? []), each]);
  }
  const nextFrom = (to: number): { at: number; closes: boolean } | undefined => {
    const between = tokens.slice(to, to + 3);
    let at = 0;
    if (between[at]?.text === ",") at += 1;
    const closes = /^(?:and|or|&|plus)$/.test(between[at]?.lower ?? "");
    if (closes) at += 1;
    else if (at === 0 && isMeasure(tokens, to)) at = 1;
    if (at === 0) return undefined;
    if (/^(?:the|a|an)$/.test(between[at]?.lower ?? "")) at += 1;
    return { at: to + at, closes };
  };
  const whole = (from: number, numeric: boolean) => {
    const options =
      starting.get(from)?.filter((each) => each.closes || each.kind === "quoted" || each.kind === "number") ?? [];
    // "2, 3 and 4 metres": numbers are listed with numbers.
    const number = numeric ? options.find((each) => each.kind === "number") : undefined;
    return number ?? options.sort((left, right) => right.to - left.to)[0];
  };
  for (const head of excerpts) {
    if (chains.length >= 60) break;
    if (!head.closes || head.shape === "compound" || head.shape === "tail" || head.size > 4) continue;
    const chain = [head];
    for (let next = nextFrom(head.to); next !== undefined && chain.length < 12; ) {
      const item = whole(next.at, head.kind === "number");
      if (item === undefined || item.size > 5) break;
      chain.push(item);
      // "A, B and C, …": what "and" introduces is the last.
      next = next.closes && tokens[item.to]?.text === "," ? undefined : nextFrom(item.to);
    }
    if (chain.length < 2) continue;
    chains.push(chain);
    const last = chain.at(-1)!;
    const kind = head.kind === "number" || head.kind === "quoted" ? head.kind : undefined;
    if (kind !== undefined && last.kind !== kind) {
      // "10, 15 and 20, incorporating": the list ends with the last number.
      const whole = chain.slice(
        0,
        chain.findIndex((each) => each.kind !== kind),
      );
      if (whole.length > 1) chains.push(whole);
    } else if (last.size > 1) {
      // "syntax and morphology changes": the last may be shorter than its run.
      for (const each of starting.get(last.from) ?? [])
        if (each.to < last.to) chains.push([...chain.slice(0, -1), each]);
    }
  }
  return chains;
}

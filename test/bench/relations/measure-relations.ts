import { randomFrom } from "../../embedded/exact-calls.ts";
import { compositionsOf } from "./compositions.ts";
import { distractorsOf } from "./distractors.ts";
import { otherValuesOf } from "./other-values.ts";
import { callsFor, caseOf } from "./plan-related.ts";
import type { GoalOverTools } from "./related-goals.ts";
import { type Change, changeOf, type RelatedCase, type RelatedTool, type Variant } from "./relation.ts";
import { renamingsOf } from "./renamings.ts";
import { rewrittenSchemasOf } from "./rewritten-schemas.ts";
import { wordingsOf } from "./wordings.ts";

/** A variant whose plan was compared. */
export interface Compared extends Variant {
  readonly id: string;
  readonly before: string;
  readonly change: Change;
  readonly planned: Variant["calls"];
}

/** Each goal is composed with at most so many others over its tools. */
const maxPartners = 4;

/**
 * Plans every goal, and again each variant of it that must not change the plan. Goals whose own plan is open or unlikely are left out.
 * The same goals give the same variants.
 */
export function* measureRelations(
  goals: readonly GoalOverTools[],
  wanted: (form: string) => boolean,
): Generator<Compared> {
  const pool = distinctTools(goals);
  const cases = goals.flatMap(({ id, query, tools }) => caseOf(id, query, tools) ?? []);
  for (const example of cases)
    for (const variant of variantsOf(example, cases, pool)) if (wanted(variant.form)) yield compare(example, variant);
}

function variantsOf(example: RelatedCase, cases: readonly RelatedCase[], pool: readonly RelatedTool[]): Variant[] {
  const random = randomFrom(
    [...example.id].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 1_000_003, 7),
  );
  return [
    ...partnersOf(example, cases, random).flatMap((partner) => compositionsOf(example, partner)),
    ...distractorsOf(example, pool, random),
    ...renamingsOf(example),
    ...rewrittenSchemasOf(example, random),
    ...otherValuesOf(example, random),
    ...wordingsOf(example, random),
  ];
}

/** Requests of one call over the same tools that share no value with it. */
function partnersOf(example: RelatedCase, cases: readonly RelatedCase[], random: () => number): RelatedCase[] {
  if (example.calls.length > 1) return [];
  const others = cases.filter(
    (other) =>
      other !== example && other.tools === example.tools && other.calls.length === 1 && !sharesCall(other, example),
  );
  return others
    .map((other) => ({ other, place: random() }))
    .toSorted((left, right) => left.place - right.place)
    .slice(0, maxPartners)
    .map(({ other }) => other);
}

const sharesCall = (left: RelatedCase, right: RelatedCase) => left.calls[0]?.tool === right.calls[0]?.tool;

function compare(example: RelatedCase, variant: Variant): Compared {
  const planned = callsFor(variant.query, variant.tools);
  const compared = (calls: Variant["calls"]) => (variant.anyCase === true ? inSmallLetters(calls) : calls);
  const change = changeOf(compared(variant.calls), compared(planned));
  return { ...variant, id: example.id, before: example.query, change, planned };
}

const inSmallLetters = (calls: Variant["calls"]) =>
  calls.map(({ tool, args }) => ({ tool, args: JSON.parse(JSON.stringify(args).toLowerCase()) as typeof args }));

function distinctTools(goals: readonly GoalOverTools[]): RelatedTool[] {
  const known = new Map<string, RelatedTool>();
  for (const { tools } of goals) for (const tool of tools) if (!known.has(tool.name)) known.set(tool.name, tool);
  return [...known.values()];
}

import type { Draft } from "../build/draft.ts";
import { typesMeet } from "../build/link.ts";
import type { OutputField } from "../schema/output-shape.ts";
import type { Parameter } from "../schema/parameter.ts";
import { emptyNouns } from "../text/lexicon.ts";
import { sameStem, stem } from "../text/stem.ts";

/** A field of an earlier call for an argument, and how much speaks for it. */
interface Flow {
  readonly source: Draft;
  readonly field: OutputField;
  readonly score: number;
}

/** What a call's own words say about where its arguments come from. */
export interface Hints {
  readonly stems: ReadonlySet<string>;
  /** "it", "them", "this", "the result": something said before is meant. */
  readonly pointsBack: boolean;
}

/** The field of an earlier call that suits a parameter best, with how much speaks for it. */
export function bestFlow(
  parameter: Parameter,
  draft: Draft,
  earlier: readonly Draft[],
  hints: Hints,
): Flow | undefined {
  let best: Flow | undefined;
  earlier.forEach((source, at) => {
    if (source.profile === draft.profile) return;
    const last = at === earlier.length - 1;
    for (const field of source.profile.output.fields) {
      const named = affinity(parameter, field, source);
      if (named === 0) continue;
      const telling = field.stems.filter((each) => !weak.has(each));
      const mentioned =
        telling.length === 0 ? 0 : telling.filter((each) => hints.stems.has(each)).length / telling.length;
      // Of equals the nearest before is meant.
      const near = 0.02 * (at - earlier.length) + (last && hints.pointsBack ? 0.5 : 0);
      const score = named + 1.1 * mentioned + near;
      if (best === undefined || score > best.score) best = { source, field, score };
    }
  });
  return best;
}

const weak: ReadonlySet<string> = new Set([...emptyNouns, "name", "id", "type", "number", "code"].map(stem));

/** 0: the types rule it out. Names count most, then what the descriptions say. */
function affinity(parameter: Parameter, field: OutputField, source: Draft): number {
  if (!typesMeet(parameter, field) && !(parameter.takesList && !field.types.has("object"))) return 0;
  if (field.types.has("boolean") !== parameter.types.has("boolean") && field.types.size > 0) return 0;
  if (parameter.choices.length > 0) return 0;
  if (parameter.name === field.name) return 3;
  const names = overlap(parameter.stems, field.stems);
  const own = new Set([...source.profile.nameWords.map(stem), ...field.stems]);
  const told = overlap(parameter.stems, [...own, ...field.about]);
  const about = overlap(
    [...parameter.about].filter((each) => !weak.has(each)),
    [...field.about, ...own],
  );
  return 2 * names + 0.5 * told + 0.6 * about + (typesMeet(parameter, field) ? 0.1 : 0);
}

/** Shared share of two lists of stems, empty words counting little: 0 to 1. */
function overlap(left: readonly string[], right: readonly string[]): number {
  let shared = 0;
  let all = 0;
  for (const each of left) {
    const weight = weak.has(each) ? 0.3 : 1;
    all += weight;
    if (right.some((other) => sameStem(each, other))) shared += weight;
  }
  return all === 0 ? 0 : shared / all;
}

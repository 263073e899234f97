import { path } from "../catalogue/output-shape.ts";
import { type Draft, fillLink, fillValue, isFilled, makeDraft } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { isPlural } from "../language/text/singular.ts";
import { sameTask } from "./arrange.ts";
import { type Assignment, contextOf, type Lookup } from "./assign.ts";
import type { Evidence } from "./evidence.ts";
import { fit, minFitScore } from "./fit.ts";
import type { RecordPlanning } from "./record-planning.ts";

/** Evidence of a clause that no argument took yet; what a finder takes is marked there. */
export interface OpenEvidence {
  readonly pieces: readonly Evidence[];
  readonly used: Map<Evidence, ReadonlySet<number> | "all">;
}

export const openEvidence = (pieces: readonly Evidence[], { used }: Assignment): OpenEvidence => ({
  pieces,
  used: new Map(used),
});

/**
 * The task that finds what a name means; one that is planned already is used again. Words right before the name that are one of the values
 * it may be asked for narrow it down: "the huts in Bern and their bookings" finds places of the kind hut.
 */
export function finderOf(lookup: Lookup, clause: Clause, planning: RecordPlanning, open: OpenEvidence): Draft {
  const draft = makeDraft(lookup.finder, clause, lookup.evidence.phrase, { support: true });
  fillValue(draft, lookup.finderParameter, lookup.value);
  const context = contextOf(lookup.finder, clause, planning.catalogue, planning.clock);
  const choosing = lookup.finder.parameters.filter(({ choices, required }) => choices.length > 0 && !required);
  for (const piece of open.pieces) {
    const before = lookup.evidence.phrase - piece.phrase;
    if (piece.kind !== "words" || piece.negated || before < 0 || before > 1 || open.used.has(piece)) continue;
    for (const parameter of choosing) {
      const found = fit(parameter, piece, context);
      if (found?.used === undefined || open.used.has(piece)) continue;
      const start = piece.tokens[0]!.start;
      fillValue(draft, parameter, found.value, { source: "goal", text: piece.text, start });
      open.used.set(piece, new Set(found.used));
    }
  }
  for (const piece of open.pieces) {
    // "cancel the booking of Olsen on December 3": the day by which it is found.
    if (piece.kind !== "date" || open.used.has(piece)) continue;
    const start = piece.tokens[0]!.start;
    for (const parameter of lookup.finder.parameters) {
      const found = isFilled(draft, parameter) ? undefined : fit(parameter, piece, context);
      if (found === undefined || found.score < minFitScore) continue;
      fillValue(draft, parameter, found.value, { source: "goal", text: piece.text, start });
      open.used.set(piece, "all");
    }
  }
  return planning.drafts.find((other) => sameTask(other, draft)) ?? draft;
}

export function linkFinder(lookup: Lookup, finder: Draft, clause: Clause): void {
  const { draft, parameter } = lookup;
  const { identity, many, rows, known } = finder.profile.output;
  const field = path(identity?.name ?? "id");
  const step = many || !known ? (parameter.takesList ? ".*" : "[0]") : "";
  // What changes something wants one, unless several are named ("the lamps in the hall"); a place that is read about has several.
  const isPlace = lookup.finderParameter.isPlace;
  const each = isPlace && step === "[0]" && !draft.profile.actions.has("read") && namesSeveral(clause, lookup);
  const one = !each && !(draft.profile.actions.has("read") && isPlace);
  fillLink(draft, parameter, { source: finder, path: `${rows}${step}${field}`, one, ...(each && { each }) });
}

/** "the lamps in the hall", "every lamp in the hall": what is at the place is said before it, and there are several. */
function namesSeveral({ phrases }: Clause, { evidence }: Lookup): boolean {
  const before = phrases[evidence.phrase - 1];
  const last = before?.words.at(-1);
  return before?.distributive === true || (last?.kind === "word" && !last.capital && isPlural(last.lower));
}

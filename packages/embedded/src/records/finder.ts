import { path } from "../catalogue/output-shape.ts";
import { type Draft, fillLink, fillValue, makeDraft } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import { sameTask } from "./arrange.ts";
import type { Lookup } from "./assign.ts";
import type { RecordPlanning } from "./record-planning.ts";

/** The task that finds what a name means; one that is planned already is used again. */
export function finderOf(lookup: Lookup, clause: Clause, planning: RecordPlanning): Draft {
  const draft = makeDraft(lookup.finder, clause, lookup.evidence.phrase, { support: true });
  fillValue(draft, lookup.finderParameter, lookup.value);
  return planning.drafts.find((other) => sameTask(other, draft)) ?? draft;
}

export function linkFinder(lookup: Lookup, finder: Draft): void {
  const { draft, parameter } = lookup;
  const { identity, many, rows, known } = finder.profile.output;
  const field = path(identity?.name ?? "id");
  const step = many || !known ? (parameter.takesList ? ".*" : "[0]") : "";
  // What changes something wants one; a place that is read about has several.
  const one = !(draft.profile.actions.has("read") && lookup.finderParameter.isPlace);
  fillLink(draft, parameter, { source: finder, path: `${rows}${step}${field}`, one });
}

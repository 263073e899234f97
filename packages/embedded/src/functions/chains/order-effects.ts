import { type Draft, sourcesOf } from "../../draft/draft.ts";
import { computingVerbs } from "../../language/text/lexicon.ts";

/**
 * What changes something is done in the order in which it is asked for: with no output declared, no reference says what
 * must come first. Calls that read or compute wait for nothing, unless as many act; a name that says neither counts for
 * neither. Where the goal says the order ("then", "before"), only what reads or computes on both sides is free.
 * @param following what the goal says to come after the one before
 */
export function orderEffects(drafts: readonly Draft[], following: ReadonlySet<Draft>): void {
  orderPointing(drafts);
  const opaque = drafts.filter((draft) => !draft.profile.output.known);
  const acting = opaque.filter(acts);
  const passive = new Set(opaque.filter((draft) => draft.profile.actions.size > 0 && !acts(draft)));
  const all = acting.length >= 2 && acting.length >= passive.size;
  opaque.slice(1).forEach((draft, at) => {
    const before = opaque[at]!;
    if (!all && (!following.has(draft) || (passive.has(draft) && passive.has(before)))) return;
    if (before.profile === draft.profile || sourcesOf(draft).includes(before)) return;
    draft.after.add(before);
  });
}

/**
 * "Restart the pump P-1 and show its log", "get the note N-2 and delete it": of two calls of which the later one points back at what the
 * earlier one is about, and one changes it, the earlier one is done first.
 */
function orderPointing(drafts: readonly Draft[]): void {
  for (const [at, draft] of drafts.entries()) {
    if (draft.profile.output.known || draft.support || sourcesOf(draft).length > 0 || draft.after.size > 0) continue;
    if (!draft.clause.tokens.some(({ kind, lower }) => kind === "word" && pointing.has(lower))) continue;
    const before = drafts
      .slice(0, at)
      .findLast((each) => each.profile !== draft.profile && !each.support && isPointedAt(each, draft));
    if (before !== undefined && (mayAct(before) || mayAct(draft))) draft.after.add(before);
  }
}

/** It changes something, or its verb is one that nobody knows ("restart"). */
export const mayAct = (draft: Draft) =>
  acts(draft) || (draft.profile.effect === "unknown" && draft.profile.actions.size === 0);

const pointing: ReadonlySet<string> = new Set(["it", "its", "them", "their"]);

/** A required value of the later call is one that only the earlier one's words say. */
const isPointedAt = (before: Draft, draft: Draft): boolean =>
  [...draft.filled.values()].some(
    ({ parameter, filling }) =>
      parameter.required &&
      filling.kind === "value" &&
      filling.origin?.source === "earlier" &&
      [...before.filled.values()].some(
        (given) => given.filling.kind === "value" && given.filling.value === filling.value,
      ),
  );

/** It changes something: it does not read, and does not only compute. */
function acts({ profile }: Draft): boolean {
  const { actions, verbs } = profile;
  if (actions.has("read") || actions.size === 0) return false;
  return [...actions].some((action) => action !== "other") || !verbs.some((verb) => computing.has(verb));
}

const computing: ReadonlySet<string> = new Set([
  ...computingVerbs,
  ..."calculate compute convert predict estimate classify detect solve measure forecast simulate translate validate".split(
    " ",
  ),
]);

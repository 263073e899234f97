import { type Draft, sourcesOf } from "../../draft/draft.ts";
import { computingVerbs } from "../../language/text/lexicon.ts";

/**
 * What changes something is done in the order in which it is asked for: with no output declared, no reference says what
 * must come first. Calls that read or compute wait for nothing, unless as many act; a name that says neither counts for
 * neither. Where the goal says the order ("then", "before"), only what reads or computes on both sides is free.
 * @param following what the goal says to come after the one before
 */
export function orderEffects(drafts: readonly Draft[], following: ReadonlySet<Draft>): void {
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

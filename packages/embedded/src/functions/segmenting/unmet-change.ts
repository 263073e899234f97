import { undoes } from "../../catalogue/acts-of.ts";
import type { Catalogue } from "../../catalogue/catalogue.ts";
import type { Draft } from "../../draft/draft.ts";
import type { Action } from "../../language/text/actions.ts";
import { fillers, subordinators } from "../../language/text/lexicon.ts";
import { doesAct } from "./does-act.ts";
import { openingOf } from "./opening.ts";
import { unofferedBy } from "./unoffered.ts";

/** The words of a call ask for a change, and its tool only reads ("ban member 5" where members are only listed) or does the opposite. */
export function isUnmetChange(draft: Draft, catalogue: Catalogue): boolean {
  const { effect, resource } = draft.profile;
  const { tokens } = draft.clause;
  if (resource.kind !== "tool") return false;
  if (effect !== "reads") return isUndone(draft);
  const first = tokens.find(({ kind, lower }) => kind === "word" && !fillers.has(lower))?.lower ?? "";
  // "If ticket 7 is urgent" asks to look, whatever follows.
  if (subordinators.has(first) || /^(?:provided|assuming)$/.test(first)) return false;
  const { imperative, actions } = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  if (imperative && actions.size > 0 && [...actions].every((each) => changing.has(each))) return true;
  const why = unofferedBy(draft, catalogue);
  return why === "verb" || why === "change";
}

/** "Reject the request" by a tool that approves requests, "delete ticket 5" by one that merges tickets. */
function isUndone({ profile, clause: { tokens } }: Draft): boolean {
  const opening = openingOf(tokens, { from: 0, to: tokens.length, sentence: 0 });
  const isDeletion = [...opening.actions].every((each) => each === "delete") && opening.actions.size > 0;
  return opening.imperative && (undoes(profile, opening.stem) || (isDeletion && !doesAct(profile, opening)));
}

const changing: ReadonlySet<Action> = new Set<Action>(["create", "update", "delete", "send"]);

import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { ValueShape } from "../../catalogue/value-shape.ts";
import type { Action } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import type { Token } from "../../language/text/token.ts";
import type { Opening } from "./opening.ts";
import type { Relevance } from "./relevance.ts";
import { valueKindsOf } from "./value-kinds.ts";
import type { Sum } from "./word-sums.ts";

/** Whether a resource does what a request asks for, and which do. */

/** Resources that are looked at for what their act is, whatever they are called. */
const maxActing = 12;

/** The resource does what is asked for: by its verbs, by the kind of its act, or both read. */
export const fitsAct = (
  { verb, described }: Sum,
  { actions, effect }: Profile,
  opening: Opening,
  asked: Effect,
): boolean =>
  verb + described > 0 ||
  (asked === "changes" && [...opening.actions].some((each) => actions.has(each))) ||
  (asked !== "changes" && (asked === "reads" || opening.actions.has("read")) && effect === "reads");

/** A change is asked for, or something by a verb that neither a resource nor this planner knows: "kick Bob", "push /srv/a". */
export function asksForAct(
  tokens: readonly Token[],
  { at: place, actions, stem: verb }: Opening,
  relevance: Relevance,
): boolean {
  if (actions.size > 0) return !["read", "run", "other"].some((each) => actions.has(each as Action));
  const next = tokens[place + 1];
  if (next === undefined || relevance.of(verb).length > 0) return false;
  return next.kind === "quoted" || next.kind === "literal" || next.capital || objects.test(next.lower);
}

const objects = /^(?:an?|the|my|your|our|their|his|her|its|this|that|these|those|it|them|him|everyone|all|every)$/;

/** What is to be deleted is not made, sent or run, and the other way round. */
export function areContrary(asked: ReadonlySet<Action>, own: ReadonlySet<Action>): boolean {
  const deletes = (actions: ReadonlySet<Action>) => actions.size > 0 && [...actions].every((each) => each === "delete");
  const makes = (actions: ReadonlySet<Action>) =>
    actions.size > 0 && [...actions].every((each) => each === "create" || each === "send");
  return (deletes(asked) && makes(own)) || (makes(asked) && deletes(own));
}

/** Of more resources of one sort of act than this, the goal cannot tell which it means. */
const maxAlike = 3;

/** "stop sub_1Oa": where no word is any resource's, the few that do what the verb asks for, if a value follows it. */
export function doingAlike(
  tokens: readonly Token[],
  { at: place, imperative, sorts }: Opening,
  { profiles }: Relevance,
) {
  const next = tokens[place + 1];
  if (!imperative || sorts.size === 0 || next === undefined) return [];
  const isValue = next.kind === "literal" || next.kind === "quoted";
  // "find pharmacies": what is sought is none of the tools' words.
  if (!isValue && !(sorts.has("search") && next.kind === "word" && isContent(next.lower))) return [];
  const found = profiles.filter((profile) =>
    [...sortsOf(profile)].some((each) => (isValue ? sorts.has(each) : each === "search")),
  );
  return found.length > maxAlike ? [] : found;
}

/** "save it as /data/a.json": what does the same and takes a path is looked at, whatever it is called. */
export function actingOn(
  shapes: ReadonlySet<ValueShape>,
  { actions }: Opening,
  relevance: Relevance,
): readonly Profile[] {
  if (shapes.size === 0 || actions.size === 0 || actions.has("read") || actions.has("other")) return [];
  const found = relevance.profiles.filter(
    (profile) =>
      [...actions].some((action) => profile.actions.has(action)) &&
      [...shapes].some((shape) => valueKindsOf(profile).shapes.has(shape)),
  );
  return found.length > maxActing ? [] : found;
}

import { sortsOf, undoes, verbStems } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { ValueShape } from "../../catalogue/value-shape.ts";
import type { Action } from "../../language/text/actions.ts";
import { callFeatureAt as at } from "../learned/call-features.ts";
import { areContrary } from "./acts-asked.ts";
import { choosesAct } from "./object-of-act.ts";
import { fields, type Relevance } from "./relevance.ts";
import type { SaidSegment } from "./said-segment.ts";
import { valueKindsOf } from "./value-kinds.ts";
import type { Sum } from "./word-sums.ts";

// What speaks for calling a resource for a segment, by itself. What it does beside the others is in rank-calls.ts.

/** A name counts as whole from this share of its weight on, since sums of shares are not exact. */
const wholeNameShare = 0.99;

/** Which words of the segment are words of the resource, and where. */
export function addWordFeatures(
  features: Float64Array,
  profile: Profile,
  sum: Sum,
  hasHolders: boolean,
  relevance: Relevance,
): void {
  for (let field = 0; field < fields.length; field += 1) features[1 + field] = sum.fields[field]!;
  const [readName = 0, readDescribed = 0, actName = 0, actDescribed = 0] = sum.verbs;
  features[at["reading verb in name"]] = readName;
  features[at["reading verb in description"]] = readDescribed;
  features[at["acting verb in name"]] = actName;
  features[at["acting verb in description"]] = actDescribed;
  const [name, description] = sum.related;
  features[at["related in name"]] = name;
  features[at["related in description"]] = description;
  // "translate the song": what is known already says less than what is to be done, where something does just that.
  features[at["definite in name"]] = sum.verb === 0 && hasHolders ? sum.definite : 0;
  const whole = relevance.nameWeight(profile);
  features[at["name covered"]] = whole === 0 ? 0 : sum.covered / whole;
  features[at["whole name"]] = Number(whole > 0 && sum.covered >= wholeNameShare * whole);
  features[at["opening verb"]] = sum.verb;
  features[at["opening verb described"]] = sum.verb === 0 ? sum.described : 0;
}

/** "Check order A-1" does not ask for its being cancelled. */
const changing: ReadonlySet<Action> = new Set<Action>(["delete", "update"]);

/** Whether what is to be done is what the resource does. */
export function addActFeatures(
  features: Float64Array,
  profile: Profile,
  sum: Sum,
  { opening, asked, hasHolders, later }: SaidSegment,
): void {
  const isChosen = choosesAct(profile, opening);
  features[at["general verb in name"]] = Number(
    sum.verb === 0 && opening.imperative && verbStems(profile).has(opening.stem),
  );
  if (sum.verb + sum.described === 0 && (opening.sorts.size > 0 || isChosen)) {
    const own = sortsOf(profile);
    const same = [...opening.sorts].some((each) => own.has(each)) || isChosen;
    features[at["same sort of act"]] = Number(same);
    features[at["other sort of act"]] = Number(!same && own.size > 0);
  }
  if (sum.verb === 0 && opening.actions.size > 0 && profile.actions.size > 0) {
    const same = [...opening.actions].some((action) => action !== "other" && profile.actions.has(action));
    features[same ? at["opening action"] : at["other action"]] = 1;
    const reads = opening.actions.has("read") && opening.actions.size === 1;
    features[at["changes where reading is asked"]] = Number(
      reads && [...profile.actions].every((each) => changing.has(each)),
    );
  }
  if (sum.verb === 0) {
    const agrees = isChosen || (asked === "changes" && [...opening.actions].some((each) => profile.actions.has(each)));
    features[at["same act on what is named"]] = Number(agrees && (sum.covered > 0 || sum.meant));
    features[at["contrary act"]] = Number(
      areContrary(opening.actions, profile.actions) || (opening.imperative && undoes(profile, opening.stem)),
    );
    features[at["writes where reading is asked"]] = Number(asked === "reads" && profile.effect === "changes");
    features[at["reads where a change is asked"]] = Number(asked === "changes" && profile.effect === "reads");
  }
  const another = sum.verb === 0 && !opening.actions.has("read") && hasHolders;
  features[at["verb of another"]] = Number(another) + later.filter((each) => !verbStems(profile).has(each)).length;
}

/**
 * Whether the resource has a place for the values that are said.
 * @param features those of `addActFeatures` among them
 * @param isLeftOut the resource has no place for such a value, and another has
 */
export function addValueFeatures(
  features: Float64Array,
  profile: Profile,
  { values, asked }: SaidSegment,
  isLeftOut: (shape: ValueShape) => boolean,
): void {
  const takes = valueKindsOf(profile);
  features[at["number for none"]] = Number(values.number && !takes.number);
  features[at["date for a date"]] = Number(
    (values.date && takes.date) || [...values.lengths].some((unit) => takes.date || takes.lengths.has(unit)),
  );
  features[at["quotation for a text"]] = Number(values.quotation && takes.text);
  const sameAct = features[at["opening action"]] === 1 && asked === "changes";
  features[at["same act on what is written"]] = Number(
    sameAct && [...values.shapes].some((each) => takes.shapes.has(each)),
  );
  for (const shape of values.shapes) {
    if (takes.shapes.has(shape)) features[at["written for it"]] = 1;
    else if (isLeftOut(shape)) features[at["written for none"]] = 1;
  }
  features[at["needs a statement"]] = Number(takes.statement && !values.quotation);
}

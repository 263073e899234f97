import { sortsOf, verbStems } from "../../catalogue/acts-of.ts";
import type { Effect } from "../../catalogue/effect.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { ValueShape } from "../../catalogue/value-shape.ts";
import type { Action } from "../../language/text/actions.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Near } from "../../meaning/nearness.ts";
import { callFeatureAt as at } from "../learned/call-features.ts";
import { areContrary, fitsAct } from "./acts-asked.ts";
import { takesIdOf } from "./named-ids.ts";
import { actsOn, choosesAct, objectOfTool, objectTold } from "./object-of-act.ts";
import type { Opening } from "./opening.ts";
import { fields, type Relevance } from "./relevance.ts";
import type { SegmentValues } from "./segment-values.ts";
import { valueKindsOf } from "./value-kinds.ts";
import { base, emptySum, type Sum } from "./word-sums.ts";

/** A segment as a call of a resource. */
export interface CallOption {
  readonly profile: Profile;
  readonly features: Float64Array;
  readonly score: number;
  /** False where something is to be done that the resource nowhere says it does. */
  readonly offered: boolean;
}

/** What a segment says, whatever it could call. */
export interface SaidSegment {
  /** Features that each of its calls has. */
  readonly shared: Float64Array;
  readonly values: Readonly<SegmentValues>;
  readonly opening: Opening;
  readonly asked: Effect;
  readonly isActing: boolean;
  /** Whether some resource has the verb that opens it. */
  readonly hasHolders: boolean;
  /** Verbs further on by which some resource is called. */
  readonly later: readonly string[];
  readonly near: Near | undefined;
  /** Stems that are said, as they are or in other words. */
  readonly seen: ReadonlySet<string>;
  /** What is acted on, and the stems said so far; absent where nothing is. */
  /** Stems of the noun that is asked for, where nothing is to be changed, and of what "how big" measures. */
  readonly sought: { readonly noun: string | undefined; readonly measures: readonly string[] };
  readonly acted: { readonly object: string; readonly seen: ReadonlySet<string> } | undefined;
}

/** "Check order A-1" does not ask for its being cancelled. */
const changing: ReadonlySet<Action> = new Set<Action>(["delete", "update"]);
/** A name counts as whole from this share of its weight on, since sums of shares are not exact. */
const wholeNameShare = 0.99;
/** Resources looked at for a segment. */
const maxResourcesPerSegment = 12;

/** The calls that a segment could be, best first. @param sums what its words say of each resource */
export function rankCalls(
  sums: ReadonlyMap<Profile, Sum>,
  segment: SaidSegment,
  relevance: Relevance,
  weights: Float64Array,
): CallOption[] {
  const { shared, values, opening, asked, isActing, hasHolders, later, near, acted, sought, seen } = segment;
  // What a value is says something of a call only beside what is to be done with it.
  const best = [...sums]
    .map(([profile, sum]) => ({ profile, sum, base: base(sum) }))
    .filter(({ profile, sum, base: own }) => own > 0 || sum.kind === 0 || fitsAct(sum, profile, opening, asked))
    .sort((left, right) => right.base - left.base || left.profile.position - right.profile.position)
    .slice(0, maxResourcesPerSegment);
  const top = best[0]?.base ?? 0;
  for (const profile of near?.nearest ?? []) {
    if (best.some((each) => each.profile === profile)) continue;
    const sum = sums.get(profile) ?? emptySum();
    best.push({ profile, sum, base: base(sum) });
  }
  const isTaken = (shape: ValueShape) => best.some(({ profile }) => valueKindsOf(profile).shapes.has(shape));
  /** It has no place for a path or a link that is said, and another one has. */
  const leavesOut = (profile: Profile, shape: ValueShape) => {
    const { shapes, anyText } = valueKindsOf(profile);
    return !shapes.has(shape) && !anyText && isTaken(shape);
  };
  const actors = new Set(
    acted === undefined
      ? []
      : best.flatMap(({ profile }) =>
          actsOn(profile, acted.object, opening) && ![...values.shapes].some((shape) => leavesOut(profile, shape))
            ? [profile]
            : [],
        ),
  );
  // Where names say what is asked for, they have counted already.
  const isInName = (noun: string) =>
    best.some(({ profile }) => profile.nameWords.some((word) => sameStem(stem(word), noun)));
  const unnamed = sought.noun === undefined || isInName(sought.noun) ? undefined : sought.noun;
  const tells = (profile: Profile) =>
    sought.measures.some((noun) => sameStem(noun, objectTold(profile)) || sameStem(noun, objectOfTool(profile))) ||
    (unnamed !== undefined && sameStem(unnamed, objectTold(profile)));
  const isObjectSaid = (profile: Profile) =>
    [objectOfTool(profile), objectTold(profile)].some((noun) => seen.has(noun) || sought.measures.includes(noun));
  const isSomeSaid =
    asked === "reads" && best.some(({ profile }) => profile.effect === "reads" && isObjectSaid(profile));
  const taken = [...values.ids].filter((noun) => best.some(({ profile }) => takesIdOf(profile, noun)));
  const told = values.codes.filter((takers) => best.some(({ profile }) => takers.has(profile)));
  const options = best.map(({ profile, sum, base: own }): CallOption => {
    const features = shared.slice();
    const lost =
      taken.filter((noun) => !takesIdOf(profile, noun)).length + told.filter((takers) => !takers.has(profile)).length;
    features[at["takes what is identified"]] = Number(taken.length + told.length > 0 && lost === 0);
    features[at["another takes what is identified"]] = lost;
    if (acted !== undefined && actors.size > 0) {
      features[at["acts on what is named"]] = Number(actors.has(profile));
      features[at["another acts on it"]] = Number(!actors.has(profile) && !acted.seen.has(objectOfTool(profile)));
    }
    features[at["tells what is asked for"]] = Number(tells(profile));
    features[at["another names what is said"]] = Number(
      isSomeSaid && !isObjectSaid(profile) && objectOfTool(profile) !== "",
    );
    for (let field = 0; field < fields.length; field += 1) features[1 + field] = sum.fields[field]!;
    const [readName = 0, readTold = 0, actName = 0, actTold = 0] = sum.verbs;
    features[at["reading verb in name"]] = readName;
    features[at["reading verb in description"]] = readTold;
    features[at["acting verb in name"]] = actName;
    features[at["acting verb in description"]] = actTold;
    const [name, description] = sum.related;
    features[at["related in name"]] = name;
    features[at["related in description"]] = description;
    // "translate the song": what is known already says less than what is to be done, where something does just that.
    features[at["definite in name"]] = sum.verb === 0 && hasHolders ? sum.definite : 0;
    const whole = relevance.nameWeight(profile);
    features[at["name covered"]] = whole === 0 ? 0 : sum.covered / whole;
    features[at["whole name"]] = Number(whole > 0 && sum.covered >= wholeNameShare * whole);
    features[at["opening verb"]] = sum.verb;
    features[at["opening verb told"]] = sum.verb === 0 ? sum.told : 0;
    const isChosen = choosesAct(profile, opening);
    if (sum.verb + sum.told === 0 && (opening.sorts.size > 0 || isChosen)) {
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
      const agrees =
        isChosen || (asked === "changes" && [...opening.actions].some((each) => profile.actions.has(each)));
      features[at["same act on what is named"]] = Number(agrees && (sum.covered > 0 || sum.meant));
      features[at["contrary act"]] = Number(areContrary(opening.actions, profile.actions));
      features[at["writes where reading is asked"]] = Number(asked === "reads" && profile.effect === "changes");
      features[at["reads where a change is asked"]] = Number(asked === "changes" && profile.effect === "reads");
    }
    const another = sum.verb === 0 && !opening.actions.has("read") && hasHolders;
    features[at["verb of another"]] = Number(another) + later.filter((each) => !verbStems(profile).has(each)).length;
    const takes = valueKindsOf(profile);
    features[at["number for none"]] = Number(values.number && !takes.number);
    features[at["date for a date"]] = Number(
      (values.date && takes.date) || [...values.lengths].some((unit) => takes.date || takes.lengths.has(unit)),
    );
    features[at["quotation for a text"]] = Number(values.quotation && takes.text);
    const sameAct = features[at["opening action"]] === 1 && asked === "changes";
    features[at["kind in name"]] = fitsAct(sum, profile, opening, asked) ? sum.kind : 0;
    const offered = !(isActing && sum.act === 0 && !fitsAct(sum, profile, opening, asked));
    features[at["same act on what is written"]] = Number(
      sameAct && [...values.shapes].some((each) => takes.shapes.has(each)),
    );
    for (const shape of values.shapes) {
      if (takes.shapes.has(shape)) features[at["written for it"]] = 1;
      else if (leavesOut(profile, shape)) features[at["written for none"]] = 1;
    }
    features[at["needs a statement"]] = Number(takes.statement && !values.quotation);
    features[at["behind the best"]] = top === 0 ? 0 : 1 - own / top;
    features[at["behind the nearest"]] = near?.behind[profile.position] ?? 0;
    features[at["near in meaning"]] = near?.above[profile.position] ?? 0;
    return { profile, features, score: dot(weights, features), offered };
  });
  return options.sort((left, right) => right.score - left.score);
}

/** A call that reads where a change is asked for, changes where reading is, or does the opposite. */
export const isContrary = (features: Float64Array): boolean => contraries.some((name) => features[at[name]] === 1);

const contraries = [
  "changes where reading is asked",
  "writes where reading is asked",
  "reads where a change is asked",
  "contrary act",
] as const;

export function dot(weights: Float64Array, features: Float64Array, offset = 0): number {
  let sum = 0;
  for (let each = 0; each < features.length; each += 1) sum += weights[offset + each]! * features[each]!;
  return sum;
}

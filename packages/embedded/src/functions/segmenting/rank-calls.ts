import { sortsOf } from "../../catalogue/acts-of.ts";
import type { Profile } from "../../catalogue/profile.ts";
import type { ValueShape } from "../../catalogue/value-shape.ts";
import type { ActSort } from "../../language/text/act-sorts.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import { callFeatureAt as at } from "../learned/call-features.ts";
import { fitsAct } from "./acts-asked.ts";
import { takesIdOf } from "./named-ids.ts";
import { actsOn, describedObject, objectOfTool } from "./object-of-act.ts";
import { addActFeatures, addValueFeatures, addWordFeatures } from "./option-features.ts";
import type { Relevance } from "./relevance.ts";
import type { SaidSegment } from "./said-segment.ts";
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

/** What the kind of a written value counts where resources are chosen to be compared. */
const roughKind = 1;
/** Resources looked at for a segment. */
const maxResourcesPerSegment = 12;
/** What it costs that a change is of something else, where another tool is called by the verb and the object that are said; in log odds. */
const costOfOtherObject = 3;

/** The calls that a segment could be, best first. @param sums what its words say of each resource */
export function rankCalls(
  sums: ReadonlyMap<Profile, Sum>,
  segment: SaidSegment,
  relevance: Relevance,
  weights: Float64Array,
): CallOption[] {
  const { shared, values, opening, asked, isActing, hasHolders, near, acted, ofMany, sought, seen } = segment;
  const rough = ({ profile, sum, base: own }: { profile: Profile; sum: Sum; base: number }) =>
    own + (fitsAct(sum, profile, opening, asked) ? roughKind * sum.kind : 0);
  const isAnswered = segment.isQuestion && [...sums].some(([{ effect }, sum]) => effect === "reads" && base(sum) > 0);
  // What a value is says something of a call only beside what is to be done with it.
  const best = [...sums]
    .filter(([profile]) => !(isAnswered && isDeclaredChange(profile)))
    .map(([profile, sum]) => ({ profile, sum, base: base(sum) }))
    .filter(({ profile, sum, base: own }) => own > 0 || sum.kind === 0 || fitsAct(sum, profile, opening, asked))
    .sort((left, right) => rough(right) - rough(left) || left.profile.position - right.profile.position)
    .slice(0, maxResourcesPerSegment);
  const top = Math.max(0, ...best.map((each) => each.base));
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
  const isActorNamed = [...actors].some(({ nameWords }) => nameWords.some((word) => stem(word) === opening.stem));
  // Where names say what is asked for, they have counted already.
  const isInName = (noun: string) =>
    best.some(({ profile }) => profile.nameWords.some((word) => sameStem(stem(word), noun)));
  const unnamed = sought.noun === undefined || isInName(sought.noun) ? undefined : sought.noun;
  const tells = (profile: Profile) =>
    sought.measures.some((noun) => sameStem(noun, describedObject(profile)) || sameStem(noun, objectOfTool(profile))) ||
    (unnamed !== undefined && sameStem(unnamed, describedObject(profile)));
  const isObjectSaid = (profile: Profile) =>
    [objectOfTool(profile), describedObject(profile)].some((noun) => seen.has(noun) || sought.measures.includes(noun));
  const isSomeSaid =
    asked === "reads" && best.some(({ profile }) => profile.effect === "reads" && isObjectSaid(profile));
  const taken = [...values.ids].filter((noun) => best.some(({ profile }) => takesIdOf(profile, noun)));
  const codes = values.codes.filter((takers) => best.some(({ profile }) => takers.has(profile)));
  const lister = ofMany && acted !== undefined ? listerOf(best, acted.object) : undefined;
  const lostBy = (profile: Profile) => {
    // "mark all orders of customer 7 as paid": whose they are is said to the tool that lists them.
    const ownLister =
      lister !== undefined && acted !== undefined && takesIdOf(profile, acted.object) ? lister : undefined;
    const isTakenBySome = (takes: (other: Profile) => boolean) =>
      takes(profile) || (ownLister !== undefined && takes(ownLister));
    return (
      taken.filter((noun) => !isTakenBySome((other) => takesIdOf(other, noun))).length +
      codes.filter((takers) => !isTakenBySome((other) => takers.has(other))).length
    );
  };
  const isEachTaken =
    lister !== undefined &&
    best.some(({ profile }) => profile.effect === "changes" && takesIdOf(profile, acted!.object));
  /** "create a list" makes no label, where another tool makes or adds lists. */
  const isOfNothingSaid = (profile: Profile) =>
    acted !== undefined &&
    actors.size > 0 &&
    !actors.has(profile) &&
    !profile.about.has(acted.object) &&
    !isObjectSaid(profile);
  const options = best.map(({ profile, sum, base: own }): CallOption => {
    const features = shared.slice();
    const lost = lostBy(profile);
    features[at["takes what is identified"]] = Number(taken.length + codes.length > 0 && lost === 0);
    features[at["another takes what is identified"]] = lost;
    if (acted !== undefined && actors.size > 0) {
      features[at["acts on what is named"]] = Number(actors.has(profile));
      features[at["another acts on it"]] = Number(!actors.has(profile) && !acted.seen.has(objectOfTool(profile)));
    }
    features[at["tells what is asked for"]] = Number(tells(profile));
    features[at["another names what is said"]] = Number(
      isSomeSaid && !isObjectSaid(profile) && objectOfTool(profile) !== "",
    );
    addWordFeatures(features, profile, sum, hasHolders, relevance);
    addActFeatures(features, profile, sum, segment);
    addValueFeatures(features, profile, segment, (shape) => leavesOut(profile, shape));
    const isFitting = fitsAct(sum, profile, opening, asked);
    features[at["kind in name"]] = isFitting ? sum.kind : 0;
    const offered = !(isActing && sum.act === 0 && !isFitting);
    // "archive all cards in list 1": the list is where they are, and is not what is archived.
    const isOfOther =
      profile.effect === "changes" &&
      ((isActorNamed && !actors.has(profile)) ||
        (isEachTaken && !takesIdOf(profile, acted!.object)) ||
        isOfNothingSaid(profile));
    features[at["behind the best"]] = top === 0 ? 0 : 1 - own / top;
    features[at["behind the nearest"]] = near?.behind[profile.position] ?? 0;
    features[at["near in meaning"]] = near?.above[profile.position] ?? 0;
    return {
      profile,
      features,
      score: dot(weights, features) - (isOfOther ? costOfOtherObject : 0),
      offered,
    };
  });
  return options.sort((left, right) => right.score - left.score);
}

/** What reads several things of a kind. */
const listerOf = (options: readonly { readonly profile: Profile }[], object: string): Profile | undefined =>
  options.find(({ profile }) => profile.effect === "reads" && sameStem(objectOfTool(profile), object))?.profile;

/** The resource itself says that it changes something, whatever it is asked, or its verb only starts or ends something ("Stop a running pump"). */
function isDeclaredChange(profile: Profile): boolean {
  const { resource, parameters, effect } = profile;
  if (parameters.some(({ required, choices }) => required && choices.length > 0)) return false;
  if (effect === "changes") return resource.destructive === true || resource.read_only === false;
  const sorts = effect === "unknown" ? [...sortsOf(profile)] : [];
  return sorts.length > 0 && sorts.every((sort) => acting.has(sort));
}
const acting: ReadonlySet<ActSort> = new Set<ActSort>(["start", "cancel", "close", "enable", "disable", "delete"]);

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

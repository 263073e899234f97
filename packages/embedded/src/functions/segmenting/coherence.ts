import type { Profile } from "../../catalogue/profile.ts";
import { type Feeding, sureFit } from "./feeding.ts";

/** A call for which its own words say no more than this may be a mistake, if nothing links it with another. */
const weakCallScore = 0.6;
/** A call is loose where no other fits it better than this, 0 to 1. */
const looseFit = 0.3;
/** Required arguments that nothing before yields count up to this many. */
const maxUnfedCounted = 2;

/** A call of a partition, by its chunks. */
export interface Placed {
  readonly profile: Profile;
  readonly first: number;
  readonly last: number;
  /** What its own words say for it. */
  readonly score: number;
  /** Numbers, quotations and the like in its words. */
  readonly values: number;
  /** Its tool is called by the verb that its words open with. */
  readonly byVerb: boolean;
}

/**
 * What the other calls say of one: whether one before yields what it needs or one after needs what it yields, and
 * whether it needs what resources yield, but no call before it does; and whether one for which little speaks, and no verb, is
 * linked with no other, though outputs are declared.
 * @param weights those of `linkFeatures`, from `offset` on
 */
export function coherence(
  own: Placed,
  others: readonly Placed[],
  feeding: Feeding,
  weights: Float64Array,
  offset: number,
): number {
  let fed = 0;
  let feeds = 0;
  let fits = 0;
  const before: Profile[] = [];
  for (const { profile, first, last } of others) {
    if (profile === own.profile || (first <= own.last && last >= own.first)) continue;
    if (last < own.first) {
      before.push(profile);
      fed = Math.max(fed, feeding.feeds(profile, own.profile));
      fits = Math.max(fits, feeding.fits(profile, own.profile));
    } else {
      feeds = Math.max(feeds, feeding.feeds(own.profile, profile));
      fits = Math.max(fits, feeding.fits(own.profile, profile));
    }
  }
  const unfed = feeding
    .derived(own.profile)
    .filter((parameter) => before.every((source) => feeding.fit(source, parameter).score < sureFit)).length;
  return (
    weights[offset]! * fed +
    weights[offset + 1]! * Number(Math.max(fed, feeds) >= sureFit) +
    weights[offset + 2]! * Math.min(maxUnfedCounted, unfed) +
    weights[offset + 3]! * Number(unfed > 0 && own.values === 0) +
    weights[offset + 4]! *
      Number(
        others.length > 1 &&
          !(own.byVerb && own.profile.effect === "changes") &&
          own.profile.output.known &&
          own.score < weakCallScore &&
          fits < looseFit,
      )
  );
}

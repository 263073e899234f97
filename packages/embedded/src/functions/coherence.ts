import type { Profile } from "../schema/profile.ts";
import { type Feeding, sureFit } from "./feeding.ts";

/** What speaks for a call because of the others. The order is that of the weights. */
export const linkFeatures = ["fed", "surely linked", "unfed", "unfed and bare"] as const;

/** A call of a partition, by its chunks. */
export interface Placed {
  readonly profile: Profile;
  readonly first: number;
  readonly last: number;
  /** Numbers, quotations and the like in its words. */
  readonly values: number;
}

/**
 * What the other calls say of one: whether one before yields what it needs or one after needs what it yields, and
 * whether it needs what resources yield, but none of the calls before does.
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
  const before: Profile[] = [];
  for (const { profile, first, last } of others) {
    if (profile === own.profile || (first <= own.last && last >= own.first)) continue;
    if (last < own.first) {
      before.push(profile);
      fed = Math.max(fed, feeding.feeds(profile, own.profile));
    } else feeds = Math.max(feeds, feeding.feeds(own.profile, profile));
  }
  const unfed = feeding
    .derived(own.profile)
    .filter((parameter) => before.every((source) => feeding.fit(source, parameter).score < sureFit)).length;
  return (
    weights[offset]! * fed +
    weights[offset + 1]! * Number(Math.max(fed, feeds) >= sureFit) +
    weights[offset + 2]! * Math.min(2, unfed) +
    weights[offset + 3]! * Number(unfed > 0 && own.values === 0)
  );
}

import { describedActs, sortsOf } from "../catalogue/acts-of.ts";
import type { Profile } from "../catalogue/profile.ts";
import { serverOf } from "../catalogue/servers.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { worthOf } from "./call-worth.ts";
import { type PlannedCall, readCall } from "./read-call.ts";
import type { Segment } from "./segmenting/segment.ts";

/** Tools whose scores differ by less do what is asked equally well. */
const sameScore = 0.02;

/**
 * "Create a label Red" where two servers have labels: what the order of the catalogue alone decides is said, so that a change waits. Tools of one server that do the
 * same for the same things are no such choice. O(calls x rivals)
 */
export function reportTies(
  calls: readonly PlannedCall[],
  segments: readonly Segment[],
  known: readonly PlannedCall[],
  planning: FunctionPlanning,
): void {
  for (const [at, call] of calls.entries()) {
    const own = segments.find(({ profile, rivals }) => profile === call.profile && rivals.length > 0);
    const draft = call.drafts.find(({ profile }) => profile === call.profile);
    if (own === undefined || draft === undefined) continue;
    const worth = own.score + worthOf(call);
    const equal = own.rivals.filter(({ profile, score, contrary }) => {
      if (contrary || !isAlike(profile, call.profile) || calls.some((each) => each.profile === profile)) return false;
      if (Math.abs(score - own.score) > sameScore) return false;
      const other = readCall(profile, call.tokens, [...known, ...calls.slice(0, at)], planning);
      return Math.abs(score + worthOf(other) - worth) <= sameScore;
    });
    if (equal.length === 0) continue;
    const labels = [call.profile, ...equal.map(({ profile }) => profile)].map(({ resource }) => `\`${resource.id}\``);
    const message = `${labels.join(" and ")} fit these words equally well; name the one that is meant, or its server.`;
    const text = planning.chosen.get(draft)?.text ?? call.profile.label;
    planning.unresolved.push({ reason: "several_resources", text, message, draft });
  }
}

/** Of another server, with an act of the same sort. */
const isAlike = (other: Profile, own: Profile): boolean =>
  serverOf(other.resource) !== serverOf(own.resource) &&
  other.effect === own.effect &&
  ([...sortsOf(other)].some((sort) => sortsOf(own).has(sort)) ||
    [...describedActs(other)].some((act) => describedActs(own).has(act)));

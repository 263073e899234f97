import type { Profile } from "../catalogue/profile.ts";
import { blank, type Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { lacking, type PlannedCall, type ReadCall, readCall, withFurther } from "./read-call.ts";
import { coordinatedTools, toolsFor } from "./segmenting/coordinated-tools.ts";
import { relevanceOf } from "./segmenting/relevance.ts";

/**
 * Adds the calls of further tools that the words of a planned call ask for ("its tags and its comments"), where these lack no more than
 * that call does. Both are read again without the words that tell which tool the other is.
 * @param known as many of the calls are known from before and stay as they are
 */
export function addCoordinated(calls: PlannedCall[], planning: FunctionPlanning, known: number): void {
  const relevance = relevanceOf(planning.catalogue, planning.words);
  for (const call of calls.slice(known)) {
    const planned = new Set(calls.map(({ profile }) => profile));
    for (const { profiles, own, others, shared, first } of coordinatedTools(
      call.profile,
      call.tokens,
      takenBy(call),
      relevance,
    )) {
      if (profiles.some((profile) => planned.has(profile)) || call.drafts.length > 1) continue;
      const at = calls.findIndex(({ profile, tokens }) => profile === call.profile && tokens[0] === call.tokens[0]);
      if (at < 0) continue;
      const before = calls.slice(0, at);
      const best = (candidates: readonly Profile[], left: readonly Token[]) =>
        candidates
          .map((profile) => readCall(profile, without(call.tokens, left), before, planning))
          .reduce((one, other) => (isFuller(other, one) ? other : one));
      const alone = best(profiles, others);
      // "The tides of North Quay and the berths there": a value of one side is said for both where the other side lacks it.
      const both =
        lacking(alone) > 0 && shared.length > 0
          ? best(
              profiles,
              others.filter((each) => !shared.includes(each)),
            )
          : alone;
      const other = lacking(both) < lacking(alone) ? both : alone;
      const known = best([call.profile], own);
      const rest =
        lacking(known) > lacking(other)
          ? best([call.profile, ...toolsFor(other.profile, others, own, relevance)], own)
          : known;
      if (lacking(other) > lacking(rest)) continue;
      planned.add(other.profile).add(rest.profile);
      const further = withFurther(other, before, planned, planning);
      const beside = withFurther(rest, before, planned, planning);
      calls.splice(at, 1, ...(first ? [further, beside] : [beside, further]));
      const choice = call.drafts.map((draft) => planning.chosen.get(draft)).find((each) => each !== undefined);
      for (const { drafts, profile } of choice === undefined ? [] : [further, beside]) {
        const draft = drafts.find((each) => each.profile === profile);
        if (draft !== undefined)
          planning.chosen.set(draft, profile === call.profile ? choice! : { ...choice!, alternatives: [] });
      }
    }
  }
}

/** It lacks less, or as much while it takes more of what is said. */
function isFuller(other: ReadCall, one: ReadCall): boolean {
  const difference = lacking(other) - lacking(one);
  return difference < 0 || (difference === 0 && other.used.size > one.used.size);
}

const without = (tokens: readonly Token[], left: readonly Token[]) =>
  tokens.map((token) => (left.includes(token) ? blank(token) : token));

/** Whether an argument of a call was read from a token, other than by a whole sentence. */
function takenBy({ drafts }: PlannedCall): (token: Token) => boolean {
  const taken = drafts.flatMap(({ filled }) =>
    [...filled.values()].flatMap(({ filling }) => {
      const origin = filling.kind === "value" ? filling.origin : undefined;
      const isSure = (origin?.likelihood ?? 1) >= minLikelihood;
      return origin?.start === undefined || !isSure ? [] : [[origin.start, origin.start + (origin.text?.length ?? 0)]];
    }),
  );
  return ({ start }) => taken.some(([from, to]) => start >= from! && start < to!);
}

/** A value that is less likely gives its words up for a call of their own. */
const minLikelihood = 0.5;

import { isEntity } from "../catalogue/output-shape.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import type { SaidCondition } from "../language/clauses/said-conditions.ts";
import { type Draft, fillValue, makeDraft } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";
import { expressionOf, guardedBy, sourcesFor } from "./said-conditions.ts";

/**
 * Drafts with look-ups of what conditions are about: "if K-12 is broken, stop it" reads K-12 first, where one tool that only reads takes the
 * same id as the call under the condition, and a field of its output says whether the condition holds. O(conditions · drafts · resources).
 */
export function lookUpConditions(
  drafts: readonly Draft[],
  conditions: readonly SaidCondition[],
  { text, catalogue }: PlanningState,
): Draft[] {
  const result = [...drafts];
  for (const condition of conditions) {
    const guarded = guardedBy(condition, conditions, result, text);
    const deciding = { ids: new Map<Draft, string>(), catalogue };
    if (guarded.size === 0) continue;
    if (expressionOf(condition, { ...deciding, sources: sourcesFor(guarded, result) }) !== undefined) continue;
    const found = catalogue.profiles.flatMap((profile) => {
      const look = [...guarded].map((draft) => lookUpFor(profile, draft)).find((each) => each !== undefined);
      const says = look && expressionOf(condition, { ...deciding, sources: [look] });
      return look === undefined || says === undefined || says.isGuess ? [] : [look];
    });
    if (found.length !== 1) continue;
    const at = result.findIndex((draft) => guarded.has(draft));
    result.splice(at, 0, found[0]!);
  }
  return result;
}

/** The reading tool with the id of the thing that the call changes; undefined where it needs anything else, or gives many. */
function lookUpFor(profile: Profile, changing: Draft): Draft | undefined {
  const { effect, output, parameters } = profile;
  const required = parameters.filter((parameter) => parameter.required);
  if (
    effect !== "reads" ||
    changing.profile.effect === "reads" ||
    !output.known ||
    output.many ||
    required.length === 0
  )
    return undefined;
  // It has no place in the goal, so that no condition is put on it.
  const draft = makeDraft(profile, { ...changing.clause, tokens: [] }, -1, { support: true });
  for (const parameter of required) {
    const given = [...changing.filled.values()].find((each) =>
      isSameThing(parameter, each.parameter, profile, changing),
    );
    if (given?.filling.kind !== "value") return undefined;
    fillValue(draft, parameter, given.filling.value, { source: "earlier" });
  }
  return draft;
}

/** Both hold the id of the same kind of thing. */
function isSameThing(own: Parameter, other: Parameter, { entity }: Profile, changing: Draft): boolean {
  if (own.isIdentifier !== other.isIdentifier) return false;
  if (own.words.join(" ") === other.words.join(" "))
    return own.entity.length > 0 || isEntity(entity, changing.profile.entity);
  if (!own.isIdentifier) return false;
  const kind = (parameter: Parameter, thing: readonly string[]) =>
    parameter.entity.length > 0 ? parameter.entity : thing;
  return isEntity(kind(own, entity), kind(other, changing.profile.entity));
}

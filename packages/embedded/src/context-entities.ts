import type { PlanningContext } from "@planloom/plan";
import { entityValues } from "./context.ts";
import { type Draft, fillLink, fillValue, hasLinks, isFilled } from "./draft/draft.ts";
import { linkOptions, minIdLink } from "./draft/link.ts";
import { missingArguments } from "./draft/tasks.ts";
import type { FunctionPlanning } from "./functions/arguments/function-planning.ts";

/** "their" with nothing before it: a remembered id, or what finds a remembered place or name. */
export function withEntities(
  drafts: readonly Draft[],
  planning: FunctionPlanning,
  context: PlanningContext | undefined,
): Draft[] {
  const entities = entityValues(context);
  const result = [...drafts];
  for (const draft of drafts) {
    const own = draft.clause.phrases[draft.phrase];
    const back = draft.clause.pointsBack || own?.possessive === true || own?.demonstrative === true;
    if (!back || hasLinks(draft) || drafts[0] !== draft) continue;
    const direct = fillFromEntity(draft, entities);
    const found = direct ? undefined : findByEntity(draft, entities, planning);
    if (found !== undefined) result.splice(result.indexOf(draft), 0, found);
    if (direct || found !== undefined) continue;
    if (own?.possessive !== true && !(draft.clause.pointsBack && draft.phrase < 0)) continue;
    // A function that has all its arguments does not need what a pronoun refers to.
    if (planning.choice !== undefined && missingArguments(draft).length === 0) continue;
    const word = own?.possessive === true ? own.determiner : "it";
    const message = `"${word}" refers to nothing that was planned before or is remembered.`;
    planning.unresolved.push({ reason: "no_antecedent", text: word, message });
  }
  return result;
}

function fillFromEntity(draft: Draft, entities: readonly { kind: string; value: string }[]): boolean {
  for (const parameter of draft.profile.parameters) {
    const match = entities.find(
      ({ kind }) => parameter.isIdentifier && parameter.entity.length > 0 && parameter.entity.includes(kind),
    );
    if (match === undefined || isFilled(draft, parameter)) continue;
    fillValue(draft, parameter, parameter.takesOne ? match.value : [match.value], { source: "context" });
    return true;
  }
  return false;
}

function findByEntity(
  draft: Draft,
  entities: readonly { kind: string; value: string }[],
  planning: FunctionPlanning,
): Draft | undefined {
  for (const { kind, value } of entities) {
    for (const finder of planning.catalogue.profiles) {
      const parameter = finder.parameters.find(
        (each) =>
          each.name.toLowerCase() === kind && !each.isIdentifier && !each.isCredential && each.types.has("string"),
      );
      if (parameter === undefined || finder === draft.profile) continue;
      const [option] = linkOptions(finder, draft.profile, (each) => !isFilled(draft, each));
      if (option === undefined || option.score < minIdLink) continue;
      const found: Draft = { ...draft, profile: finder, filled: new Map(), after: new Set(), support: true };
      fillValue(found, parameter, value, { source: "context" });
      fillLink(draft, option.parameter, { source: found, path: option.path });
      return found;
    }
  }
  return undefined;
}

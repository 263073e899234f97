import { isPerson } from "../catalogue/affinity.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import { takesIds } from "../catalogue/takes-ids.ts";
import { type Draft, fillValue, hasLinks, isFilled } from "../draft/draft.ts";
import type { Clause } from "../language/clauses/phrases.ts";
import type { RecordPlanning } from "./record-planning.ts";

const speaker = /^(?:my|mine|our|ours)$/;

/**
 * Fills in or reports whose records are asked for where the plan does not say it: "my tickets" of a resource that could narrow them down to a person, and "their
 * tickets" that are not linked to those who are meant.
 */
export function reportPossessives(clause: Clause, targets: readonly Draft[], planning: RecordPlanning): void {
  for (const draft of targets) {
    const phrase = clause.phrases[draft.phrase];
    if (phrase === undefined) continue;
    const open = draft.profile.parameters.filter((parameter) => !isFilled(draft, parameter));
    const { label } = draft.profile;
    const noun = phrase.words.at(-1)?.lower ?? "";
    if (speaker.test(phrase.determiner)) {
      const person = open.find(
        (parameter) => (isPerson(parameter) || takesIds(parameter)) && !isOwnId(parameter.entity, draft.profile),
      );
      if (person === undefined) continue;
      const text = `${phrase.determiner} ${noun}`;
      const message = `Nothing says who you are, so \`${label}\` is not narrowed down to "${text}"; \`${person.name}\` could do it.`;
      planning.unresolved.push({ reason: "no_antecedent", text, message });
    } else if (phrase.possessive && !hasLinks(draft) && planning.drafts.some((other) => other !== draft)) {
      const isOfOne = /^(?:his|her)$/.test(phrase.determiner);
      const candidates = isOfOne ? open : open.filter(isPerson);
      if (fillOwner(draft, candidates, planning.drafts)) continue;
      const isPersons = isOfOne && open.some(isPerson);
      if (!isPersons && (draft.after.size > 0 || !open.some(takesIds))) continue;
      const text = `${phrase.determiner} ${noun}`;
      const message = `"${text}" belongs to what is found before, but nothing tells \`${label}\` which; the result is not narrowed down by it.`;
      planning.unresolved.push({ reason: "no_antecedent", text, message });
    }
  }
}

/** "Assign story 5 to Mina Okoye, then list her stories": the name that an argument of the same name got before. */
function fillOwner(draft: Draft, open: readonly Parameter[], drafts: readonly Draft[]): boolean {
  for (const other of drafts.toReversed()) {
    if (other === draft) continue;
    for (const { parameter, filling } of other.filled.values()) {
      const own = open.find(({ name }) => name === parameter.name);
      const isName = filling.kind === "value" && typeof filling.value === "string" && nameOfPerson.test(filling.value);
      if (own === undefined || !isName || own.choices.length > 0) continue;
      fillValue(draft, own, filling.value, { source: "earlier", likelihood: likelihoodOfOwner });
      return true;
    }
  }
  return false;
}

const likelihoodOfOwner = 0.8;
const nameOfPerson = /^\p{Lu}[\p{L}'’-]+(?: \p{Lu}[\p{L}'’.-]*)*$/u;

/** The id of what the resource is about, not of whom it belongs to. */
const isOwnId = (entity: readonly string[], profile: Profile) =>
  entity.length === 0 || entity.every((noun) => profile.entity.includes(noun));

import { nameAffinity } from "../catalogue/affinity.ts";
import type { OutputField } from "../catalogue/output-shape.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, fillLink, isFilled } from "../draft/draft.ts";
import { fieldPath, typesMeet } from "../draft/link.ts";
import type { Clause, Phrase } from "../language/clauses/phrases.ts";
import { emptyNouns } from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { stem } from "../language/text/stem.ts";
import type { RecordPlanning } from "./record-planning.ts";

/**
 * "convert the price to euros" after a task whose output has a field `price`: the field goes to a required parameter
 * whose type it fits, by name where names agree, else the first. Only for phrases that point back: "the …", "its …",
 * "the computed …". Ids are linked elsewhere.
 * @returns the phrases that were used up
 */
export function linkOutputs(drafts: readonly Draft[], clause: Clause, planning: RecordPlanning): Set<number> {
  const used = new Set<number>();
  if (planning.drafts.length === 0) return used;
  clause.phrases.forEach((phrase, index) => {
    if (!pointsBack(phrase) || drafts.some((draft) => draft.phrase === index)) return;
    const found = fieldOf(phrase, planning);
    if (found === undefined) return;
    for (const draft of drafts) {
      if (draft.support || draft.profile === found.source.profile) continue;
      const parameter = parameterFor(found.field, phrase, draft);
      if (parameter === undefined) continue;
      fillLink(draft, parameter, {
        source: found.source,
        path: fieldPath(found.field, parameter, found.source.profile),
      });
      used.add(index);
      return;
    }
  });
  return used;
}

function pointsBack(phrase: Phrase): boolean {
  const [first] = phrase.words;
  const isDefinite = phrase.determiner === "the" || phrase.possessive || phrase.demonstrative;
  return isDefinite || (first !== undefined && phrase.words.length > 1 && isParticiple(first));
}

/** The nearest earlier output with a field that the phrase names in full. */
function fieldOf(phrase: Phrase, planning: RecordPlanning): { source: Draft; field: OutputField } | undefined {
  const stems = new Set(phrase.words.filter((word) => word.kind === "word").map((word) => word.stem));
  for (const source of planning.drafts.slice(-40).reverse()) {
    let best: { field: OutputField; length: number } | undefined;
    for (const field of source.profile.output.fields) {
      const contentStems = field.stems.filter((each) => !empty.has(each));
      if (field.isIdentifier || contentStems.length === 0 || !contentStems.every((each) => stems.has(each))) continue;
      if (contentStems.length > (best?.length ?? 0)) best = { field, length: contentStems.length };
    }
    if (best !== undefined) return { source, field: best.field };
  }
  return undefined;
}

const empty: ReadonlySet<string> = new Set([...emptyNouns].map(stem));

function parameterFor(field: OutputField, phrase: Phrase, draft: Draft): Parameter | undefined {
  const stems = new Set(phrase.words.map((word) => word.stem));
  let best: { parameter: Parameter; score: number } | undefined;
  for (const parameter of draft.profile.parameters) {
    if (!parameter.required || isFilled(draft, parameter) || parameter.isIdentifier || parameter.choices.length > 0)
      continue;
    if (parameter.holdsDay !== field.stems.includes("date") || !typesMeet(parameter, field)) continue;
    const score = nameAffinity(parameter, stems);
    if (best === undefined || score > best.score) best = { parameter, score };
  }
  return best?.parameter;
}

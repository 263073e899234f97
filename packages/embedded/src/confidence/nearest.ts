import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Profile } from "../catalogue/profile.ts";
import { shapeOf, shapesTaken, type ValueShape } from "../catalogue/value-shape.ts";
import { isContent } from "../language/text/content-words.ts";
import { type Token, tokenise } from "../language/text/token.ts";

/** What a written value adds to a tool that takes values of its shape, in units of the best match by words. */
const shapeWorth = 0.4;

/**
 * The tools that come nearest to a text, by its words and by the shapes of the values that it holds, best first. A ranking to choose from,
 * not a choice: verbs and arguments are not judged. Linear in the text; of many tools those that share a word with it are looked at.
 */
export function nearestTo(text: string, catalogue: Catalogue, limit: number): Profile[] {
  const tokens = tokenise(text);
  const words = tokens.filter(({ kind, lower }) => kind === "word" && isContent(lower));
  const found = catalogue.search([...new Set(words.map(({ stem }) => stem))]);
  const best = Math.max(1e-9, ...found.map(({ score }) => score));
  const byWords = new Map(found.map(({ profile, score }) => [profile, score / best]));
  const shapes = new Set(tokens.flatMap((token: Token) => (token.kind === "word" ? [] : (shapeOf(token) ?? []))));
  const looked = catalogue.profiles.length <= maxLooked ? catalogue.profiles : [...byWords.keys()];
  return looked
    .map((profile) => ({ profile, score: (byWords.get(profile) ?? 0) + shapeWorth * shapesOf(profile, shapes) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.profile.position - right.profile.position)
    .slice(0, limit)
    .map(({ profile }) => profile);
}

/** Alternatives of a task. */
const maxAlternatives = 4;

/** What a task might call in place of its tool; tools that were not considered for its words have no score. */
interface NearTool {
  readonly tool: string;
  readonly score?: number;
}

/** The choice with up to 4 alternatives: where fewer were considered for its words, the tools that come nearest follow. */
export function withNearest<Choice extends { readonly text: string; readonly alternatives: readonly NearTool[] }>(
  choice: Choice,
  own: string,
  catalogue: Catalogue,
): Omit<Choice, "alternatives"> & { readonly alternatives: readonly NearTool[] } {
  const { text, alternatives } = choice;
  if (alternatives.length >= maxAlternatives) return choice;
  const known = new Set([own, ...alternatives.map(({ tool }) => tool)]);
  const near = nearestTo(text, catalogue, maxAlternatives + known.size)
    .map(({ resource }) => ({ tool: resource.id }))
    .filter(({ tool }) => !known.has(tool));
  return { ...choice, alternatives: [...alternatives, ...near].slice(0, maxAlternatives) };
}

/** At most this many tools are considered for the shapes of values alone. */
const maxLooked = 100;

function shapesOf({ parameters, resource }: Profile, wanted: ReadonlySet<ValueShape>): number {
  if (wanted.size === 0) return 0;
  const taken = new Set(parameters.flatMap((parameter) => [...shapesTaken(parameter, resource.description)]));
  return [...wanted].filter((shape) => taken.has(shape)).length / wanted.size;
}

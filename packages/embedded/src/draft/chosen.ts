import type { Profile } from "../catalogue/profile.ts";
import type { Draft } from "./draft.ts";

/** Why a task calls its resource: the words it was planned for, and what else was considered for them. */
export interface Chosen {
  /** The segment of the goal. */
  readonly text: string;
  /** What speaks for the resource, in the unit of `score` of the alternatives; higher is better. */
  readonly score: number;
  /** The next best resources, best first, at most 4. */
  readonly alternatives: readonly { readonly tool: string; readonly score: number }[];
}

const rounded = (score: number) => Math.round(score * 100) / 100;

/** @param considered what was considered for the words, best first, what was taken among it or not */
export function chosenFor(
  text: string,
  taken: Pick<Chosen, "score"> & { readonly profile: Profile },
  considered: readonly { readonly profile: Profile; readonly score: number }[],
): Chosen {
  return {
    text: text.trim(),
    score: rounded(taken.score),
    alternatives: considered
      .filter(({ profile }) => profile !== taken.profile)
      .slice(0, maxAlternatives)
      .map(({ profile, score }) => ({ tool: profile.resource.id, score: rounded(score) })),
  };
}

const maxAlternatives = 4;

/** By task id. Tasks that were added for another one, or were written out as calls, have none. */
export function choicesOf<Choice>(
  chosen: ReadonlyMap<Draft, Choice>,
  ids: ReadonlyMap<Draft, string>,
): Readonly<Record<string, Choice>> {
  return Object.fromEntries(
    [...chosen].flatMap(([draft, choice]) => {
      const id = ids.get(draft);
      return id === undefined ? [] : [[id, choice] as const];
    }),
  );
}

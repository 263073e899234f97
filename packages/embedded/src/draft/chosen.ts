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

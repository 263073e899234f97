import type { Parameter } from "../catalogue/parameter.ts";
import type { Profile } from "../catalogue/profile.ts";
import type { Clause } from "../language/clauses/phrases.ts";

/** The output of another draft, or a part of it, as an argument. */
export interface Link {
  readonly source: Draft;
  /** The text after the source's name: `.*.id`. */
  readonly path: string;
  /** One row is meant, so taking the first of a list leaves nothing out. */
  readonly one?: boolean;
  /** What was looked up by its name is one thing, though several may be found. @default false */
  readonly named?: boolean;
  /** All rows are meant, each by itself, where the goal says which. @default false */
  readonly each?: boolean;
}

/** A text made of words and outputs. */
export interface Composed {
  readonly parts: readonly (string | Link)[];
}

/** Where a value was read. */
export interface Origin {
  /** `goal`: words of its text; `earlier`: an argument of another call; `context`: what is remembered; `job`: settings of a job. */
  readonly source: "goal" | "earlier" | "context" | "job";
  readonly text?: string;
  /** UTF-16 offset in the text that was read. */
  readonly start?: number;
  /** How likely the value is right, 0 to 1, where that is estimated. */
  readonly likelihood?: number;
}

export type Filling =
  | { readonly kind: "value"; readonly value: unknown; readonly origin?: Origin }
  | { readonly kind: "link"; readonly link: Link; readonly likelihood?: number }
  | { readonly kind: "composed"; readonly composed: Composed };

/** A task in the making. */
export interface Draft {
  readonly profile: Profile;
  readonly clause: Clause;
  /** Index of the phrase that named it; -1 when the clause as a whole did. */
  readonly phrase: number;
  /** By `key(parameter)`. */
  readonly filled: Map<string, { readonly parameter: Parameter; readonly filling: Filling }>;
  /** Must be done first though no argument comes from them. */
  readonly after: Set<Draft>;
  /** Belongs to the draft before it in the clause: "and their …". */
  readonly possessive: boolean;
  /** Planned only to find ids for another. */
  readonly support: boolean;
}

export function makeDraft(
  profile: Profile,
  clause: Clause,
  phrase: number,
  options: { possessive?: boolean; support?: boolean } = {},
): Draft {
  return {
    profile,
    clause,
    phrase,
    filled: new Map(),
    after: new Set(),
    possessive: options.possessive ?? false,
    support: options.support ?? false,
  };
}

export function key(parameter: Parameter): string {
  return JSON.stringify(parameter.path);
}

export function isFilled(draft: Draft, parameter: Parameter): boolean {
  return draft.filled.has(key(parameter));
}

/**
 * Whether an argument has a value in any form: a list of objects also by a field of one, and such a field also by the list as a
 * whole.
 */
export function isGiven(draft: Draft, parameter: Parameter): boolean {
  if (isFilled(draft, parameter)) return true;
  if (parameter.list !== undefined) return draft.filled.has(JSON.stringify(parameter.list));
  return hasItems(draft, parameter.path);
}

/** Whether a field of an object in the list at a path has a value. */
export function hasItems(draft: Draft, list: Parameter["path"]): boolean {
  const slot = JSON.stringify(list);
  return [...draft.filled.values()].some(({ parameter }) => JSON.stringify(parameter.list) === slot);
}

export function fillValue(draft: Draft, parameter: Parameter, value: unknown, origin?: Origin): void {
  draft.filled.set(key(parameter), { parameter, filling: { kind: "value", value, ...(origin && { origin }) } });
}

export function fillLink(draft: Draft, parameter: Parameter, link: Link, likelihood?: number): void {
  draft.filled.set(key(parameter), {
    parameter,
    filling: { kind: "link", link, ...(likelihood !== undefined && { likelihood }) },
  });
}

/** The drafts whose output this one takes. */
export function sourcesOf(draft: Draft): Draft[] {
  const sources: Draft[] = [];
  for (const { filling } of draft.filled.values()) {
    if (filling.kind === "link") sources.push(filling.link.source);
    if (filling.kind === "composed") {
      for (const part of filling.composed.parts) if (typeof part !== "string") sources.push(part.source);
    }
  }
  return sources;
}

export function hasLinks(draft: Draft): boolean {
  return sourcesOf(draft).length > 0;
}

/** The parts of the text that the arguments of a call were read from. */
export function takenBy(draft: Draft): (readonly [from: number, to: number])[] {
  return [...draft.filled.values()].flatMap(({ filling }) => {
    const origin = filling.kind === "value" ? filling.origin : undefined;
    return origin?.start === undefined ? [] : [[origin.start, origin.start + (origin.text?.length ?? 0)] as const];
  });
}

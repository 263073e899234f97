import type { Profile } from "../catalogue/profile.ts";
import type { ArgumentPath } from "./argument-keys.ts";
import type { WrittenValue } from "./to-value.ts";

/** A call that a goal writes out: the exact name of a resource, and its arguments by their names. */
export interface ExactCall {
  readonly profile: Profile;
  /** UTF-16 offsets in the text; `end` is after the last argument. */
  readonly start: number;
  readonly end: number;
  readonly arguments: readonly WrittenArgument[];
  /** What is given under a name that the resource does not take, as it is written. */
  readonly unknown: readonly { readonly key: string; readonly text: string }[];
  /** Further resources of the same name that take the same arguments. */
  readonly namesakes: readonly Profile[];
}

export interface WrittenArgument {
  readonly path: ArgumentPath;
  /** As it is written; a value that was read from a list or an object has one already. */
  readonly written: WrittenValue;
  readonly read?: { readonly value: unknown };
}

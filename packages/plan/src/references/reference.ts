/** One step of a path. `key` also indexes an array when it is a decimal number (`.0`); `map` visits every element. */
export type PathSegment = { readonly key: string } | { readonly index: number } | { readonly map: true };

/** Points at a value: `name` is a task id, a `result_variable`, a plan variable or `input`. */
export interface Reference {
  readonly name: string;
  readonly path: readonly PathSegment[];
  /** Written with a trailing `?`: an absent value is null instead of an error. */
  readonly optional: boolean;
}

/** A text with references in it; literal parts have their escapes undone. Never two texts in a row, never an empty one. */
export interface Template {
  readonly parts: readonly (string | Reference)[];
}

/** Most segments a path may have; keeps every reader of paths shallow. */
export const maxPathSegments = 256;

/**
 * Deepest nesting of a value in a plan (arguments, variables, the items of a list), and of what tasks give, in levels: the object or list itself is the first. JSON
 * readers elsewhere fail at some depth; all of them read values of this one.
 */
export const maxArgumentDepth = 500;

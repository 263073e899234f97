import type { MalformedReference } from "../references/collect-references.ts";
import { formatPath } from "../references/format-reference.ts";
import type { PathSegment } from "../references/reference.ts";
import type { ResolvedReference } from "./plan-facts.ts";

/**
 * Hands out a task's references to a walk that visits its arguments in the same document order, without building a
 * path or an index per reference.
 */
export class ReferenceCursor {
  readonly #found: readonly ResolvedReference[];
  readonly #malformed: readonly MalformedReference[];
  #next = 0;

  constructor(found: readonly ResolvedReference[], malformed: readonly MalformedReference[]) {
    this.#found = found;
    this.#malformed = malformed;
  }

  /** The references of the text (or reference object) at `path`, which the walk has reached; empty if it has none. */
  take(path: readonly PathSegment[]): readonly ResolvedReference[] {
    const first = this.#found[this.#next];
    if (first === undefined || !this.#isAt(path, first)) return [];
    const start = this.#next;
    do this.#next++;
    while (this.#found[this.#next]?.argument_path === first.argument_path);
    return this.#found.slice(start, this.#next);
  }

  /** The references anywhere in the value at `path`, without taking them. */
  within(path: readonly PathSegment[]): readonly ResolvedReference[] {
    const place = formatPath(path);
    let end = this.#next;
    while (end < this.#found.length && isWithin(this.#found[end]!.argument_path, place)) end++;
    return this.#found.slice(this.#next, end);
  }

  takeWithin(path: readonly PathSegment[]): readonly ResolvedReference[] {
    const inside = this.within(path);
    this.#next += inside.length;
    return inside;
  }

  /** Whether the object or array at `path`, which the walk has reached, holds references or texts meant as such. */
  holdsReferences(path: readonly PathSegment[]): boolean {
    if (this.#next >= this.#found.length && this.#malformed.length === 0) return false;
    const place = formatPath(path);
    const next = this.#found[this.#next];
    return (
      (next !== undefined && isWithin(next.argument_path, place)) ||
      this.#malformed.some(({ argument_path }) => isWithin(argument_path, place))
    );
  }

  isMalformed(path: readonly PathSegment[]): boolean {
    if (this.#malformed.length === 0) return false;
    const place = formatPath(path);
    return this.#malformed.some(({ argument_path }) => argument_path === place);
  }

  #isAt(path: readonly PathSegment[], { argument_path }: ResolvedReference): boolean {
    const only = path.length === 1 ? path[0]! : undefined;
    return (only && "key" in only && only.key === argument_path) || formatPath(path) === argument_path;
  }
}

function isWithin(path: string, outer: string): boolean {
  if (!path.startsWith(outer)) return false;
  const next = path[outer.length];
  return next === undefined || next === "." || next === "[";
}

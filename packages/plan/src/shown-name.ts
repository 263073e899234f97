const maxShown = 200;

/** An id or name as an error shows it, without its quotes: one that is longer than any that people write is cut. */
export function shownName(name: string): string {
  return name.length <= maxShown ? name : `${name.slice(0, maxShown)}… (${name.length} characters)`;
}

import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Profile } from "../catalogue/profile.ts";

/** The name of a resource that is in a text. */
export interface CallName {
  /** Several where resources of different servers share the name; those spelled exactly so come alone. */
  readonly profiles: readonly Profile[];
  /** Offset after the name. */
  readonly end: number;
  /** The name consists of plain words ("search"), so it may be in any sentence. */
  readonly isPlain: boolean;
}

interface KnownName {
  readonly lower: string;
  readonly isPlain: boolean;
}

const known = new WeakMap<Catalogue, ReadonlyMap<string, readonly KnownName[]>>();

/** Finds the longest name or id of a resource that begins at an offset. Case is ignored unless names differ by it alone. */
export function nameAt(text: string, at: number, catalogue: Catalogue): CallName | undefined {
  const first = firstWord(text.slice(at, at + maxFirstWord));
  if (first === "") return undefined;
  for (const { lower, isPlain } of namesOf(catalogue).get(first) ?? []) {
    const end = at + lower.length;
    const said = text.slice(at, end);
    if (said.toLowerCase() !== lower || !endsName(text, end)) continue;
    const profiles = catalogue.byName.get(lower) ?? [];
    const exact = profiles.filter(({ label, resource }) => label === said || resource.id === said);
    return { profiles: exact.length > 0 ? exact : profiles, end, isPlain };
  }
  return undefined;
}

/** Names by their first word, the longest first. Made once per catalogue. */
function namesOf(catalogue: Catalogue): ReadonlyMap<string, readonly KnownName[]> {
  const made = known.get(catalogue);
  if (made !== undefined) return made;
  const names = new Map<string, KnownName[]>();
  for (const [lower, profiles] of catalogue.byName) {
    const first = firstWord(lower);
    const spellings = profiles.map(({ label, resource }) => (label.toLowerCase() === lower ? label : resource.id));
    const name = { lower, isPlain: spellings.every((each) => /^\p{L}[\p{Ll} ]*$/u.test(each)) };
    names.set(first, [...(names.get(first) ?? []), name]);
  }
  for (const own of names.values()) own.sort((left, right) => right.lower.length - left.lower.length);
  known.set(catalogue, names);
  return names;
}

/** No name has a first word that is longer. */
const maxFirstWord = 300;

const firstWord = (text: string) => /^[^\p{L}\p{N}]*[\p{L}\p{N}]+/u.exec(text)?.[0].toLowerCase() ?? "";

/** The name does not continue: `list` is not a name in `list_issues`, nor in `list.all`. */
function endsName(text: string, end: number): boolean {
  return !/^(?:[\p{L}\p{N}_]|[./:@-]+[\p{L}\p{N}_])/u.test(text.slice(end, end + 4));
}

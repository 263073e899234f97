import { identifierWords } from "../language/text/lexicon.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Parameter } from "./parameter.ts";
import type { Profile } from "./profile.ts";

const kinds = new WeakMap<Parameter, ReadonlySet<string>>();
const heads = new WeakMap<Parameter, ReadonlySet<string>>();
const none: ReadonlySet<string> = new Set();

/** Learns of which things some resource takes ids that are called after them: "crate" for a `crate_id`. Linear in the parameters. */
export function learnKindsOfIds(profiles: readonly Profile[]): void {
  const all = profiles.flatMap(({ parameters }) => parameters);
  const named = new Set(all.flatMap((parameter) => (parameter.isIdentifier ? (nounOfName(parameter) ?? []) : [])));
  for (const parameter of all) kinds.set(parameter, named);
}

function nounOfName({ words }: Parameter): string | undefined {
  const last = words.findLast((word) => !identifierWords.has(word));
  return last === undefined ? undefined : stem(singular(last));
}

/** Some parameter of the catalogue is called after such a thing and holds its id. */
export const isKindOfId = (parameter: Parameter, noun: string): boolean => (kinds.get(parameter) ?? none).has(noun);

/** What the thing is for, where it lies and what is done with it: "to list the crates of", "from which". */
const endsHead = /\s(?:to|from|where|which|whose|that|whom|when|if|within|in|on|at|used|being)\s|[.,;:([\n]/i;

/**
 * The stems of the words by which a description says whose id it is, and not those of what is done with it: "depot" and not "crate" of "ID
 * of the depot to list crates from".
 */
export function describedOwners(parameter: Parameter): ReadonlySet<string> {
  let own = heads.get(parameter);
  if (own === undefined) {
    const text = parameter.description.trim();
    const end = text.search(endsHead);
    own = new Set(
      (end < 0 ? text : text.slice(0, end)).split(/[^\p{L}\d]+/u).map((word) => stem(singular(word.toLowerCase()))),
    );
    heads.set(parameter, own);
  }
  return own;
}

/** The name of the parameter, or what its description says, has the noun. */
export const isCalledAfter = (parameter: Parameter, noun: string): boolean =>
  [...parameter.words, ...parameter.entity].some((word) => sameStem(stem(singular(word)), noun)) ||
  describedOwners(parameter).has(noun);

const anything: ReadonlySet<string> = new Set("object item record resource entity element thing".split(" "));

/** `object_id`: the id of an object may be anything's. */
export const isOfAnything = ({ entity }: Parameter): boolean => entity.some((word) => anything.has(word));

import { stem } from "../language/text/stem.ts";
import { readExamples } from "./examples.ts";
import type { Profile } from "./profile.ts";

const known = new WeakMap<Profile, ReadonlySet<string>>();
const none: ReadonlySet<string> = new Set();
/** Nouns for things of any kind. */
const anything: ReadonlySet<string> = new Set(["object", "record", "item", "entity", "resource", "thing", "element"]);

/**
 * Stems of the kinds of things that a tool for things of any kind acts on: "contacts" and "deals" for a `list_objects` that needs an
 * `object_type`, whose description or schema names those. Empty for other tools.
 */
export function kindsOfThings(profile: Profile): ReadonlySet<string> {
  let own = known.get(profile);
  if (own === undefined) {
    own = read(profile);
    known.set(profile, own);
  }
  return own;
}

function read({ entity, parameters }: Profile): ReadonlySet<string> {
  const noun = entity.at(-1) ?? "";
  if (!anything.has(noun)) return none;
  const kind = parameters.find(
    ({ required, words, types }) =>
      required && types.has("string") && words.length === 2 && words[0] === noun && /^(?:type|kind)$/.test(words[1]!),
  );
  if (kind === undefined) return none;
  const values =
    kind.choices.length > 0 ? kind.choices.map(({ value }) => String(value)) : readExamples(kind.description);
  return new Set(values.filter((value) => /^\p{L}+$/u.test(value)).map(stem));
}

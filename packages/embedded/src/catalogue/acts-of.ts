import { type ActSort, sortsMeant, sortsOfVerb } from "../language/text/act-sorts.ts";
import { isContent } from "../language/text/content-words.ts";
import { areOnOneSide, areOpposed } from "../language/text/opposed-acts.ts";
import { stem } from "../language/text/stem.ts";
import type { Profile } from "./profile.ts";

/** What a resource says that it does. */

const verbs = new WeakMap<Profile, ReadonlySet<string>>();

/** Stems of the verbs in its name, or of the one that opens its description. */
export function verbStems(profile: Profile): ReadonlySet<string> {
  const own = verbs.get(profile) ?? new Set(profile.verbs.map(stem));
  verbs.set(profile, own);
  return own;
}

const knownActs = new WeakMap<Profile, ReadonlySet<string>>();

/** Verbs that open the description, whether known as verbs or not: "Unstages all changes", "Move or rename files". */
export function describedActs(profile: Profile): ReadonlySet<string> {
  const own = knownActs.get(profile) ?? new Set(leads(profile.resource.description));
  knownActs.set(profile, own);
  return own;
}

function leads(description: string): string[] {
  const [, first = "", more = "", last = ""] =
    /^\s*([A-Za-z-]{2,30})((?:, [a-z-]{2,30}){0,4})(?:,? (?:or|and) ([a-z-]{2,30}))?/.exec(description) ?? [];
  return [first, ...more.split(", "), last].filter((word) => isContent(word.toLowerCase())).map(stem);
}

/** Sorts that may do nearly anything to a thing: "change it to closed" closes it, and so does `update_ticket`. */
const anyChange: ReadonlySet<ActSort> = new Set<ActSort>(["update", "set"]);
/** Their object or a word after them says what is done: "mark it as closed". */
const lightVerbs: ReadonlySet<string> = new Set([
  "mark",
  "make",
  "put",
  "turn",
  "switch",
  "get",
  "do",
  "take",
  "process",
]);

/** What it changes it changes in another way than the verb says: `close_ticket` assigns nobody, `delete_ticket` closes none. */
export function doesAnotherAct(profile: Profile, verb: string): boolean {
  if (profile.effect !== "changes" || verb === "" || lightVerbs.has(verb)) return false;
  const asked = sortsMeant(stem(verb));
  const done = sortsOf(profile);
  const isPlain = done.size > 0 && ![...done, ...asked].some((each) => anyChange.has(each));
  return isPlain && ![...done].some((each) => asked.has(each));
}

/** It does the opposite of what the verb says, and nothing else: "reject" by `approve_request`. */
export function undoes(profile: Profile, verb: string): boolean {
  if (profile.effect === "reads") return false;
  const own = [...verbStems(profile), ...describedActs(profile)];
  if (!own.some((each) => areOpposed(each, verb))) return false;
  const isAbout = (each: string) => areOnOneSide(each, verb) || areOpposed(each, verb);
  const isChoice = profile.parameters.some(
    ({ choices, types, stems }) =>
      choices.some((choice) => choice.stems.some((each) => areOnOneSide(each, verb))) ||
      (types.has("boolean") && stems.some(isAbout)),
  );
  return !isChoice && !own.some((each) => areOnOneSide(each, verb));
}

const sorted = new WeakMap<Profile, ReadonlySet<ActSort>>();

/** Sorts of acts that the verbs of a name, or those that open its description, are of. */
export function sortsOf(profile: Profile): ReadonlySet<ActSort> {
  let own = sorted.get(profile);
  if (own === undefined) {
    const verbs = [...describedActs(profile), ...verbStems(profile), ...choosableActs(profile)];
    own = new Set(verbs.flatMap((verb) => [...sortsOfVerb(verb)]));
    sorted.set(profile, own);
  }
  return own;
}

/** Stems of the acts between which an argument chooses: `operation: "list" | "get" | "set"`. */
function choosableActs({ parameters }: Profile): readonly string[] {
  return parameters.flatMap(({ choices, words }) => {
    const verbs = choices.flatMap(({ stems }) => stems.slice(0, 1));
    const isOfActs = /^(?:action|operation|command|method|verb|op|act)$/.test(words.at(-1) ?? "");
    return isOfActs && verbs.every((verb) => sortsOfVerb(verb).size > 0) ? verbs : [];
  });
}

import { mediumOfFile } from "../catalogue/medium.ts";
import type { Profile } from "../catalogue/profile.ts";
import type { Filling } from "../draft/draft.ts";
import { isVerb } from "../language/text/actions.ts";
import { fillers } from "../language/text/lexicon.ts";
import { saysAll } from "../language/text/says-all.ts";
import { isPlural, singular } from "../language/text/singular.ts";
import type { Token } from "../language/text/token.ts";
import { isFile, isFolder, namesFolder } from "./arguments/file-fit.ts";
import { topicAt } from "./arguments/topics.ts";
import { lacking, type ReadCall } from "./read-call.ts";

/** What the arguments of a call add to the score of its resource, in units of `call-weights.ts`. */
const argumentWorth = {
  lacking: -0.35,
  unused: -0.2,
  filled: 0.1,
  written: 0.4,
  file: 0.3,
  mailForId: -0.3,
  manyForOne: -0.2,
  folderForFile: -0.3,
  folderOnly: -1,
  placeForFile: -0.5,
} as const;
/** More filled arguments than this say no more. */
const maxFilledCounted = 4;

/** "close the position N": what is done to all of them is not done to one. Set by hand. */
const actsOnAll = -0.5;

/** "the open requests": not only those of who asks. Set by hand. */
const ofOthers = -0.4;

/** "my requests", "assigned to me", "what did I finish": not "show me". */
const speaksOfSelf = (tokens: readonly Token[]): boolean =>
  tokens.some(
    ({ lower }, at) =>
      /^(?:my|mine|i|i'm|i've|our|we|myself)$/.test(lower) ||
      (lower === "me" && /^(?:to|by|for|of|with|on|at)$/.test(tokens[at - 1]?.lower ?? "")),
  );

/** "read each of them": who points back at things does not ask for a tool that takes nothing. Set by hand. */
const takesNothing = -0.6;

/** A verb, and as its object nothing but what points back: "close it", "read each of them", "archive all of those". */
const pointsBackAlone = (tokens: readonly Token[]): boolean => {
  const words = tokens.filter(({ kind, lower }) => kind === "word" && !fillers.has(lower)).map(({ lower }) => lower);
  return /^\S+ (?:(?:each|every one|all|both|one) of )?(?:it|them|these|those)(?: all| both)?$/.test(words.join(" "));
};

/** "How many crates …": a tool that is called by counting does just that. Set by hand. */
const countsSaid = 0.3;

/** Another tool is to be called in its place. Set by hand. */
const deprecated = -0.15;

const isCounted = (tokens: readonly Token[]): boolean =>
  tokens.some(({ lower }, at) => lower === "many" && tokens[at - 1]?.lower === "how");

/** How well the words of a call fill its arguments, beside the score of its resource. O(arguments + tokens). */
export function worthOf(reading: ReadCall): number {
  const { spans, used, draft, profile, tokens } = reading;
  const unused = spans.filter((span) => span.kind !== "phrase" && !used.has(span)).length;
  // Where nothing is said that an argument takes, it says nothing how many are lacking.
  const lacks = draft.filled.size === 0 && spans.length === 0 ? Math.min(1, lacking(reading)) : lacking(reading);
  // Both ends of a range are one thing that is said.
  const likelihoods = new Map<unknown, number>();
  for (const { parameter, filling } of draft.filled.values()) {
    if (filling.kind !== "value" || filling.origin?.source !== "goal") continue;
    const { start = parameter, likelihood = 0 } = filling.origin;
    likelihoods.set(start, Math.max(likelihoods.get(start) ?? 0, likelihood));
  }
  let filled = 0;
  for (const likelihood of likelihoods.values()) filled += likelihood;
  return (
    (profile.nameWords.some((word) => /^(?:my|mine)$/.test(word)) && !speaksOfSelf(tokens) ? ofOthers : 0) +
    (profile.effect !== "reads" && profile.nameWords.includes("all") && !saysAll(tokens) ? actsOnAll : 0) +
    (profile.parameters.length === 0 && pointsBackAlone(tokens) ? takesNothing : 0) +
    (profile.isDeprecated ? deprecated : 0) +
    (profile.nameWords.includes("count") && isCounted(tokens) ? countsSaid : 0) +
    (reading.sources === undefined ? 0 : argumentWorth.written) +
    argumentWorth.file * Number(takesFile(reading)) +
    argumentWorth.folderOnly * Number(isForFolderOnly(reading)) +
    argumentWorth.folderForFile * Number(takesFileForFolder(reading)) +
    argumentWorth.placeForFile * Number(takesPlaceForFile(reading)) +
    argumentWorth.manyForOne * Number(takesManyForOne(reading)) +
    argumentWorth.mailForId * Number(takesMailForId(reading)) +
    argumentWorth.lacking * (lacks + untakenTopics(reading)) +
    argumentWorth.unused * unused +
    argumentWorth.filled * Math.min(maxFilledCounted, filled)
  );
}

/** An image, a recording or a film goes to an argument for just that. */
export const takesFile = ({ draft }: ReadCall): boolean =>
  [...draft.filled.values()].some(
    ({ parameter: { medium }, filling }) =>
      medium !== undefined &&
      medium !== "text" &&
      filling.kind === "value" &&
      typeof filling.value === "string" &&
      mediumOfFile(filling.value) === medium,
  );

/** An address of mail is taken for the id of a thing. */
const takesMailForId = ({ draft }: ReadCall): boolean =>
  [...draft.filled.values()].some(
    ({ parameter: { isIdentifier, words, description }, filling }) =>
      isIdentifier &&
      filling.kind === "value" &&
      typeof filling.value === "string" &&
      /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(filling.value) &&
      !/mail/i.test(`${words.join(" ")} ${description}`),
  );

/** A tool that is made for many gets one: `read_many_files` for "read a.txt", `create_berths` for "create a berth". */
const takesManyForOne = ({ draft, profile, tokens }: ReadCall): boolean =>
  (profile.nameWords.some((word) => /^(?:batch|bulk|multiple|many|several|multi)$/.test(word)) ||
    makesMany(profile, tokens)) &&
  [...draft.filled.values()].every(
    ({ filling }) => filling.kind !== "value" || !Array.isArray(filling.value) || filling.value.length < 2,
  );

/** It makes things of which its name has the plural and the words have "a" or "an" before the singular. */
function makesMany({ nameWords, effect, parameters }: Profile, tokens: readonly Token[]): boolean {
  const many = nameWords.at(-1) ?? "";
  if (effect === "reads" || !isPlural(many) || !parameters.some(({ list }) => list !== undefined)) return false;
  const one = singular(many);
  return tokens.some(({ lower }, at) => lower === one && /^(?:an?|one)$/.test(tokens[at - 1]?.lower ?? ""));
}

/** The path of a file is taken for that of a folder: `list_files` for "open plans/north.md". */
const takesFileForFolder = ({ draft }: ReadCall): boolean =>
  [...draft.filled.values()].some(({ parameter, filling }) => namesFolder(parameter) && holdsFile(filling));

/** A tool that is for folders alone got a file: `list_folder_sizes` for "the size of plans/north.md". */
export const isForFolderOnly = ({ draft, profile }: ReadCall): boolean =>
  isForFolders(profile) &&
  [...draft.filled.values()].some(({ parameter, filling }) => parameter.words.join() === "path" && holdsFile(filling));

const holdsFile = (filling: Filling): boolean =>
  filling.kind === "value" &&
  typeof filling.value === "string" &&
  isFile(filling.value.slice(filling.value.lastIndexOf("/") + 1));

const isForFolders = ({ nameWords }: Profile): boolean =>
  nameWords.some((word) => /^(?:directory|folder|dir)$/.test(word)) &&
  !nameWords.some((word) => /^(?:file|files|create|make|mkdir|tree)$/.test(word));

/** A folder in which something is sought is taken for a file: `read_file` for "what is in /srv?". */
const takesPlaceForFile = ({ draft, profile, tokens }: ReadCall): boolean =>
  profile.nameWords.some((word) => /^files?$/.test(word)) &&
  [...draft.filled.values()].some(({ parameter, filling }) => {
    if (filling.kind !== "value") return false;
    const [value, more] = [filling.value].flat();
    if (typeof value !== "string" || more !== undefined || !isFolder(value)) return false;
    if (!parameter.required || namesFolder(parameter)) return false;
    const at = tokens.findIndex(({ start }) => start === filling.origin?.start);
    const before = tokens[at - 1]?.lower ?? "";
    return (
      /^(?:in|inside|within|under)$/.test(before) || (before === "of" && tokens.some(({ lower }) => lower === "files"))
    );
  });

/** "the issue about memory leaks": what says what is sought for, and went into no argument. */
function untakenTopics({ tokens, draft, profile }: ReadCall): number {
  if (!profile.actions.has("read")) return 0;
  const taken = [...draft.filled.values()].flatMap(({ filling }) =>
    filling.kind === "value" && filling.origin?.start !== undefined
      ? [[filling.origin.start, filling.origin.start + (filling.origin.text?.length ?? 0)] as const]
      : [],
  );
  // "read about X" tells why somebody asks; "the issue about X" says which one of the things that the resource is about.
  const topics = tokens.flatMap((_, at) => {
    const noun = tokens[at - 1];
    const topic =
      noun?.kind === "word" && profile.about.has(noun.stem) && !isVerb(noun.lower) ? topicAt(tokens, at) : undefined;
    return topic?.weight === 1 ? [topic] : [];
  });
  const isTaken = ({ start }: Token) => taken.some(([from, to]) => start >= from && start < to);
  return topics.filter(({ from, to }) => !tokens.slice(from, to).some(isTaken)).length;
}

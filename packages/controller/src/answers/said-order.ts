import type { Resource } from "@planloom/plan";

/** A task as it was answered, and the resource that it calls. */
export interface CalledTask {
  readonly answered: Readonly<Record<string, unknown>>;
  readonly resource: Resource | undefined;
}

/** What says that something comes after something else; "first", "next" and "finally" only count. */
const orderWords =
  /\b(?:then|after|afterwards?|thereafter|subsequently|following (?:this|that|which)|once|as soon as|only when|before)\b/gi;

/** Verbs of what changes nothing, as names and descriptions of tools begin with them. */
const lookingVerbs: ReadonlySet<string> = new Set(
  "analyse analyze answer calculate check classify compare compute convert count describe detect determine display estimate evaluate explain extract fetch find get give identify list look lookup measure obtain predict provide query read recommend retrieve return search show solve suggest summarize tell translate view".split(
    " ",
  ),
);

/**
 * Whether each task waits for those before it, by the model where it tells tasks apart. Where every task waits, the first one too, the model has only filled in
 * what it was offered: then a task waits where the request says so ("then", "after that") between the words of the task before it and its own, unless both only look.
 * @param request what was asked for, in words
 */
export function waitingTasks(tasks: readonly CalledTask[], request: string): readonly boolean[] {
  const said = tasks.map(({ answered }) => answered.waits === true);
  if (tasks.length < 2 || !said.every(Boolean)) return said;
  const text = request.toLowerCase();
  const words = [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({ word, index }));
  const marks = [...text.matchAll(orderWords)].map(({ index }) => index);
  const places = tasks.map(({ answered }) => placeOf(String(answered.for ?? ""), words));
  const looks = tasks.map(({ resource }) => onlyLooks(resource));
  return tasks.map((_, at) => {
    const [before, own] = [places[at - 1], places[at]];
    if (before === undefined || own === undefined) return false;
    if (looks[at] === true && looks.slice(0, at).every(Boolean)) return false;
    return marks.some((mark) => mark > before.from && mark <= own.to && mark >= Math.min(before.to, own.from));
  });
}

interface Word {
  readonly word: string;
  readonly index: number;
}

/** Where a request says what a task is for: the run of as many words that shares most with it. */
function placeOf(words: string, request: readonly Word[]): { readonly from: number; readonly to: number } | undefined {
  const wanted = new Set(words.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []);
  const length = Math.min(request.length, Math.max(1, words.match(/[\p{L}\p{N}]+/gu)?.length ?? 0));
  if (wanted.size === 0 || length === 0) return undefined;
  let best = 0;
  let place: number | undefined;
  const counts = new Map<string, number>();
  const add = (word: string, by: number) => {
    if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + by);
  };
  request.forEach(({ word }, at) => {
    add(word, 1);
    const gone = request[at - length];
    if (gone !== undefined) add(gone.word, -1);
    const shared = [...counts.values()].filter((count) => count > 0).length;
    if (shared > best) [best, place] = [shared, Math.max(0, at - length + 1)];
  });
  if (place === undefined) return undefined;
  const last = request[Math.min(request.length - 1, place + length - 1)]!;
  return { from: request[place]!.index, to: last.index + last.word.length };
}

/** By what the resource says of itself, else by the verb that its name or its description begins with. */
function onlyLooks(resource: Resource | undefined): boolean {
  if (resource === undefined) return false;
  const { read_only, destructive, id, name = "", description } = resource;
  if (read_only !== undefined || destructive === true) return read_only === true && destructive !== true;
  const isLooking = (text: string) => {
    const [verb = ""] =
      text
        .replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
        .toLowerCase()
        .match(/\p{L}+/u) ?? [];
    return (
      lookingVerbs.has(verb) || lookingVerbs.has(verb.replace(/e?s$/, "")) || lookingVerbs.has(verb.replace(/s$/, ""))
    );
  };
  return [id, name, description].some(isLooking);
}

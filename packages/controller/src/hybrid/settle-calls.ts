import { isRecord } from "@planloom/plan";
import { assembled } from "./assembled.ts";
import { calleeOf, type DraftedCall, idsIn, type Task } from "./drafted-plan.ts";
import { carriedOver, leavesIn, leavesOf, plainText } from "./given-values.ts";
import type { AnsweredCall, SettledPlan, Sides } from "./sides.ts";
import { overlap, saidWholeIn, wordsIn } from "./words.ts";

/** A call of the draft that is likelier than this stays although the model calls something else. */
const sureCall = 0.75;
/** A model that makes each call of the draft that is likelier than this has read the request well. */
const knownCall = 0.85;
/** What an open argument takes from a call that the model does not make. */
const openWorth = 0.7;
/** So much of what a call is for must be in the words of another for the two to be for the same. */
const sameWords = 0.5;

/** Values of the draft that are less likely may be dropped with its call. */
const likelyValue = 0.5;

/**
 * One plan out of two for the same request, call by call. What both call stays, its arguments settled one by one. Where the model makes every call that the
 * draft is very sure of, the others are the model's too, as they are where the model is preferred. Else a call of the draft alone stays where the draft is sure of it, or the model
 * has nothing for its words that keeps what the request says; and a call of the model alone is added where it is for words that no call is for yet, or where another one of its
 * calls reads it. Ids are those of the draft. Undefined where the two cannot be brought into an order. Quadratic in the number of calls.
 */
export function settleCalls(
  draft: readonly DraftedCall[],
  tasks: readonly Task[],
  request: string,
  { parameters, isMadeUp }: Pick<Sides, "parameters" | "isMadeUp">,
  prefer: "draft" | "model" = "draft",
): SettledPlan | undefined {
  const model = tasks.map((task) => answeredCall(task, request));
  const isSaid = saidWholeIn(request);
  const pairs = pairCalls(draft, model);
  const known = draft.filter(({ likelihood = 0 }) => likelihood >= knownCall);
  const isTrusted = prefer === "model" || (known.length > 0 && known.every((call) => pairs.has(call)));
  const sides = { draft, model, pairs, parameters, isSaid, isMadeUp, isTrusted };
  const replaced = replacements(sides);
  const kept = new Set(draft.filter((call) => !replaced.has(call)));
  const added = additions(sides, kept, replaced);
  return assembled({ kept, replaced, added }, sides);
}

const isUnsure = ({ likelihood = 1, open }: DraftedCall) => likelihood * (open.size > 0 ? openWorth : 1) < sureCall;

/** The calls of the draft that go, with the model's call that takes their place, if one does. */
function replacements(sides: Sides): Map<DraftedCall, AnsweredCall | undefined> {
  const { draft, model, pairs, isTrusted } = sides;
  const replaced = new Map<DraftedCall, AnsweredCall | undefined>();
  const taken = new Set([...pairs.values()]);
  const given = new Set(leavesIn(model.map(({ task }) => task)).map(plainText));
  for (const call of draft) {
    const mayGo = isTrusted ? call.likelihood !== undefined : isUnsure(call);
    if (pairs.has(call) || !mayGo) continue;
    const words = wordsIn(call.text);
    const free = model.filter((each) => !taken.has(each) && !losesValues(call, each, sides));
    const other =
      call.alternatives.map((id) => free.find(({ callee }) => callee === id)).find((each) => each !== undefined) ??
      free.find((each) => each.words.size > 0 && overlap(each.words, words) >= sameWords);
    const isDoneByAnother = [...pairs.values()].some(
      (each) => call.alternatives.includes(each.callee) && words.size > 0 && overlap(words, each.words) >= sameWords,
    );
    if (other !== undefined) taken.add(other);
    const isLeftOut = isTrusted && saidValues(call, sides).every((value) => given.has(value));
    if (other !== undefined || isDoneByAnother || isLeftOut) replaced.set(call, other);
  }
  return replaced;
}

/** The calls of the model alone that are made: those that take the place of another, that are for words which no call is for yet, and what these read. */
function additions(
  { draft, model, pairs, isSaid, isTrusted }: Sides,
  kept: ReadonlySet<DraftedCall>,
  replaced: ReadonlyMap<DraftedCall, AnsweredCall | undefined>,
): Set<AnsweredCall> {
  const paired = new Set([...pairs.values()]);
  if (isTrusted) return new Set(model.filter((each) => !paired.has(each)));
  const added = new Set([...replaced.values()].filter((each) => each !== undefined));
  const covered = new Set([...added].flatMap(({ words }) => [...words]));
  for (const call of kept) {
    const same = pairs.get(call);
    for (const word of same?.words ?? []) covered.add(word);
    if (same === undefined) for (const word of wordsIn(call.text)) covered.add(word);
  }
  for (const each of model) {
    if (paired.has(each) || added.has(each) || each.words.size === 0) continue;
    const isConsidered = draft.some((call) => !pairs.has(call) && call.alternatives.includes(each.callee));
    // Small models add calls without reason; a call with a reason mostly has a value of the request, or reads another task.
    const isGrounded = idsIn(each.task).length > 0 || leavesOf(each.task.arguments).some(isSaid);
    if (isConsidered || !isGrounded || overlap(each.words, covered) >= sameWords) continue;
    added.add(each);
    for (const word of each.words) covered.add(word);
  }
  const byId = new Map(model.map((each) => [each.id, each]));
  // A set that grows while it is iterated is iterated to its end.
  for (const { task, id } of added)
    for (const source of idsIn(task)) {
      const read = byId.get(source);
      if (read !== undefined && source !== id && !paired.has(read)) added.add(read);
    }
  return added;
}

function answeredCall(task: Task, request: string): AnsweredCall {
  const goal = wordsIn(request);
  const prompt = isRecord(task.arguments) ? task.arguments.prompt : undefined;
  const text = [task.description, prompt].filter((each) => typeof each === "string").join(" ");
  const words = new Set([...wordsIn(text)].filter((word) => goal.has(word)));
  return { task, id: String(task.task_id ?? ""), callee: calleeOf(task), words };
}

/** What the request says and a call, or what it reads, is given. */
function saidValues(call: DraftedCall, { draft, isSaid }: Sides): string[] {
  const read = new Set(idsIn(call.task));
  const helpers = draft.filter(({ id, likelihood }) => likelihood === undefined && read.has(id));
  const likely = [call, ...helpers].flatMap(({ task, likelihoods }) =>
    Object.entries(isRecord(task.arguments) ? task.arguments : {}).flatMap(([name, value]) =>
      (likelihoods.get(name) ?? 1) < likelyValue ? [] : leavesOf(value),
    ),
  );
  return likely.filter(isSaid).map(plainText);
}

/** Whether a value that the request says would be gone with a call if another one took its place. */
function losesValues(call: DraftedCall, other: AnsweredCall, sides: Sides): boolean {
  const { model, parameters } = sides;
  const carried = carriedOver(call, parameters(other.callee));
  if (idsIn(carried).length > 0) return false;
  const read = new Set(idsIn(other.task));
  const sources = model.filter(({ id }) => read.has(id)).map(({ task }) => task);
  const after = new Set(leavesIn([{ arguments: carried }, other.task, ...sources]).map(plainText));
  return saidValues(call, sides).some((value) => !after.has(value));
}

/** Calls of the same resource belong together: those whose arguments are the likest first, then in their order. */
function pairCalls(draft: readonly DraftedCall[], model: readonly AnsweredCall[]): Map<DraftedCall, AnsweredCall> {
  const pairs = new Map<DraftedCall, AnsweredCall>();
  const options = draft.flatMap((call, at) =>
    model.flatMap((each, place) =>
      each.callee === call.callee
        ? [{ call, each, likeness: likeness(call.task, each.task), far: Math.abs(at - place) }]
        : [],
    ),
  );
  const taken = new Set<AnsweredCall>();
  for (const { call, each } of options.sort((a, b) => b.likeness - a.likeness || a.far - b.far)) {
    if (pairs.has(call) || taken.has(each)) continue;
    pairs.set(call, each);
    taken.add(each);
  }
  return pairs;
}

/** How many arguments have the same value. */
function likeness(one: Task, other: Task): number {
  const [first, second] = [one.arguments, other.arguments];
  if (!isRecord(first) || !isRecord(second)) return 0;
  const text = (value: unknown) => (JSON.stringify(value) ?? "").toLowerCase();
  return Object.keys(first).filter((name) => text(first[name]) === text(second[name])).length;
}

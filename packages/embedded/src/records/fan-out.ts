import type { Parameter } from "../catalogue/parameter.ts";
import { type Draft, fillLink, fillValue, key, makeDraft, type Origin, sourcesOf } from "../draft/draft.ts";
import { splitName } from "../language/text/split-name.ts";
import { stem } from "../language/text/stem.ts";
import type { Assignment, Scope } from "./assign.ts";
import type { Evidence } from "./evidence.ts";

/** One more value for an argument that holds one: "in A and B". */
export interface Alternative {
  readonly draft: Draft;
  readonly parameter: Parameter;
  readonly values: readonly unknown[];
  readonly evidence: readonly Evidence[];
}

/**
 * Values coordinated with one that became an argument. For a list they join it; otherwise they are alternatives, and
 * the task is planned once for each.
 */
export function findAlternatives(evidence: readonly Evidence[], assignment: Assignment, scope: Scope): Alternative[] {
  const found: Alternative[] = [];
  for (const piece of evidence) {
    if (mayBeChoice.has(piece.kind) && assignment.used.get(piece) !== "all") {
      const choice = choiceBeside(piece, evidence, assignment, scope, found);
      if (choice !== undefined) add(found, choice.draft, choice.parameter, choice.value, piece);
      if (choice !== undefined || piece.kind === "words") continue;
    }
    if (piece.kind === "date" || piece.kind === "words" || assignment.used.has(piece)) continue;
    const later = listTaker(piece, evidence, assignment, scope, found);
    if (later !== undefined) {
      const filling = later.draft.filled.get(key(later.parameter))?.filling;
      const rest = filling?.kind === "value" ? [filling.value].flat() : [];
      fillValue(later.draft, later.parameter, [piece.kind === "number" ? piece.value : piece.text, ...rest]);
      add(found, later.draft, later.parameter, undefined, piece);
      continue;
    }
    const phrase = scope.clause.phrases[piece.phrase];
    if (phrase?.joined !== true || piece.tokens.length < phrase.words.length) continue;
    const before = evidence.findLast((other) => other.phrase === piece.phrase - 1 && other.kind === piece.kind);
    const taker = before === undefined ? undefined : takerOf(before, scope, found);
    // "between 10 and 20": the two ends of one range.
    if (before === undefined || taker === undefined || before.bound !== piece.bound) continue;
    const value = piece.kind === "number" ? piece.value : piece.text;
    add(found, taker.draft, taker.parameter, value, piece);
  }
  return found;
}

function add(found: Alternative[], draft: Draft, parameter: Parameter, value: unknown, piece: Evidence): void {
  const known = found.find((each) => each.draft === draft && each.parameter === parameter);
  if (known === undefined) found.push({ draft, parameter, values: [value], evidence: [piece] });
  else
    found[found.indexOf(known)] = { ...known, values: [...known.values, value], evidence: [...known.evidence, piece] };
}

/** "A, B and C" where B became the first of a list: A belongs to it too. */
function listTaker(
  piece: Evidence,
  evidence: readonly Evidence[],
  assignment: Assignment,
  scope: Scope,
  found: readonly Alternative[],
): { draft: Draft; parameter: Parameter } | undefined {
  const next = evidence.find((other) => other.phrase === piece.phrase + 1 && other.kind === piece.kind);
  if (next === undefined || !assignment.used.has(next) || scope.clause.phrases[next.phrase]?.joined !== true)
    return undefined;
  const taker = takerOf(next, scope, found);
  return taker?.parameter.takesList === true && !taker.parameter.takesOne ? taker : undefined;
}

/** Kinds of evidence that an allowed value may be written as: "stored", "checked_out". */
const mayBeChoice: ReadonlySet<Evidence["kind"]> = new Set(["words", "literal", "name"]);

/** "open and closed orders": a second allowed value of an argument that a coordinated phrase filled. */
function choiceBeside(
  piece: Evidence,
  evidence: readonly Evidence[],
  assignment: Assignment,
  scope: Scope,
  found: readonly Alternative[],
): { draft: Draft; parameter: Parameter; value: unknown } | undefined {
  const { phrases } = scope.clause;
  const isTaken = (other: Evidence) =>
    assignment.used.has(other) || found.some((each) => each.evidence.includes(other));
  const beside = evidence.some((other) => {
    if (!isTaken(other) || !mayBeChoice.has(other.kind)) return false;
    const [left, right] = other.phrase < piece.phrase ? [other, piece] : [piece, other];
    return right.phrase - left.phrase === 1 && phrases[right.phrase]?.joined === true;
  });
  if (!beside) return undefined;
  // Words that are an argument already ("open orders and closed orders") are not a second value of another.
  const spent = assignment.used.get(piece);
  const free = piece.tokens.filter((_, at) => spent === undefined || (spent !== "all" && !spent.has(at)));
  const stems = free
    .flatMap((token) => (token.kind === "word" ? [token.stem] : splitName(token.text).map(stem)))
    .join(" ");
  for (const draft of scope.drafts) {
    for (const { parameter, filling } of draft.filled.values()) {
      if (filling.kind !== "value" || parameter.choices.length === 0) continue;
      // Values that were found before it are no further ones.
      const known = found.find((each) => each.draft === draft && each.parameter === parameter)?.values ?? [];
      const choice = parameter.choices.find(
        (each) => each.stems.length > 0 && ` ${stems} `.includes(` ${each.stems.join(" ")} `),
      );
      if (choice !== undefined && known.includes(choice.value)) continue;
      if (choice !== undefined && choice.value !== filling.value && !isOneOf(filling.value, choice.value)) {
        return { draft, parameter, value: choice.value };
      }
    }
  }
  return undefined;
}

function isOneOf(list: unknown, value: unknown): boolean {
  return Array.isArray(list) && list.includes(value);
}

function takerOf(
  evidence: Evidence,
  scope: Scope,
  found: readonly Alternative[],
): { draft: Draft; parameter: Parameter } | undefined {
  const wanted = evidence.kind === "number" ? evidence.value : evidence.text;
  const drafts = scope.drafts.flatMap((draft) => [draft, ...sourcesOf(draft)]);
  for (const draft of drafts) {
    for (const { parameter, filling } of draft.filled.values()) {
      if (filling.kind !== "value") continue;
      const { value } = filling;
      if (value === wanted || (Array.isArray(value) && value.length === 1 && value[0] === wanted))
        return { draft, parameter };
    }
  }
  return found.find((each) => each.evidence.includes(evidence));
}

/** Adds the alternatives: to the list they belong to, or as copies of the task and of all that depend on it. */
export function fanOut(drafts: readonly Draft[], alternatives: readonly Alternative[]): Draft[] {
  let result = [...drafts];
  for (const { draft, parameter, values, evidence } of alternatives) {
    const filling = draft.filled.get(JSON.stringify(parameter.path))?.filling;
    if (parameter.takesList && filling?.kind === "value") {
      fillValue(draft, parameter, [filling.value, ...values.filter((value) => value !== undefined)].flat());
      continue;
    }
    // Two alternatives multiply: "A and B things in C and D" are four.
    const alike = result.filter((each) => isCopy(each, draft, parameter));
    for (const each of alike) {
      if (result.length > 60) break;
      const copies = values
        .slice(0, 20)
        .map((value, at) =>
          copyWith(result, each, (copy) => fillValue(copy, parameter, value, originOf(evidence[at]))),
        );
      result = interleave(result, copies);
    }
  }
  return result;
}

function originOf(piece: Evidence | undefined): Origin | undefined {
  const start = piece?.tokens[0]?.start;
  return piece === undefined ? undefined : { source: "goal", text: piece.text, ...(start !== undefined && { start }) };
}

function isCopy(draft: Draft, original: Draft, parameter: Parameter): boolean {
  if (draft.profile !== original.profile || draft.phrase !== original.phrase) return false;
  const [left, right] = [draft, original].map((each) => each.filled.get(key(parameter))?.filling);
  return left?.kind === "value" && right?.kind === "value" && left.value === right.value;
}

/** Copies of `draft` and of everything in `drafts` that takes its output; `change` is applied to the copy of `draft`. */
export function copyWith(drafts: readonly Draft[], draft: Draft, change: (copy: Draft) => void): Map<Draft, Draft> {
  const copies = new Map<Draft, Draft>();
  for (const each of drafts) {
    if (each !== draft && !sourcesOf(each).some((source) => copies.has(source))) continue;
    const copy = makeDraft(each.profile, each.clause, each.phrase, {
      possessive: each.possessive,
      support: each.support,
    });
    for (const { parameter, filling } of each.filled.values()) {
      if (filling.kind === "link")
        fillLink(copy, parameter, { ...filling.link, source: copies.get(filling.link.source) ?? filling.link.source });
      else copy.filled.set(JSON.stringify(parameter.path), { parameter, filling });
    }
    for (const other of each.after) copy.after.add(copies.get(other) ?? other);
    if (each === draft) change(copy);
    copies.set(each, copy);
  }
  return copies;
}

/** Copies come right after their originals. */
function interleave(drafts: readonly Draft[], copies: readonly Map<Draft, Draft>[]): Draft[] {
  return drafts.flatMap((draft) => [draft, ...copies.flatMap((each) => each.get(draft) ?? [])]);
}

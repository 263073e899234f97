import { isRecord } from "@planloom/plan";
import { type DraftedCall, idsIn } from "./drafted-plan.ts";

/** A value of the draft that is likelier than this is not replaced by another one. */
const sureValue = 0.8;
/** A reference of the draft that is less likely than this is replaced by a value that the request says. */
const unsureReference = 0.5;

export interface ArgumentSources {
  /** What the model's call of the same resource gives, its references renamed. */
  readonly given: Readonly<Record<string, unknown>>;
  /** Whether a task is part of the plan. */
  readonly isPlanned: (id: string) => boolean;
  /** Whether the request says a value, word for word. */
  readonly isSaid: (value: unknown) => boolean;
  /** Whether the model made a value up. */
  readonly isMadeUp: (name: string, value: unknown) => boolean;
  /** Whether a task that a reference reads is itself given a value: what is found by a name is not the name. */
  readonly isFoundBy: (reference: unknown, value: unknown) => boolean;
  /** Whether the model's calls are those of the plan: then its references are too. */
  readonly isTrusted: boolean;
}

/**
 * The arguments of a call that both plans have, each from the plan that is likelier right about it. What the draft lacks is the model's, unless it is
 * required and the model made it up: then it stays open, and becomes a question. What the
 * draft reads from another task stays, since small models rather make a value up. A value stays the draft's where it is sure of it;
 * else the model's is taken if the request says it word for word.
 */
export function settleArguments(
  call: DraftedCall,
  { given, isPlanned, ...judge }: ArgumentSources,
): Record<string, unknown> {
  const own = isRecord(call.task.arguments) ? call.task.arguments : {};
  const settled: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(own), ...Object.keys(given)])) {
    const ours = own[name];
    const theirs = given[name];
    const isOpen = ours === undefined || !idsIn(ours).every(isPlanned);
    if (isOpen) {
      if (theirs !== undefined && !(call.open.has(name) && judge.isMadeUp(name, theirs))) settled[name] = theirs;
      continue;
    }
    const likelihood = call.likelihoods.get(name);
    // What a model that reads well leaves out was rather not said.
    if (judge.isTrusted && theirs === undefined && likelihood !== undefined && likelihood < unsureReference) continue;
    settled[name] = theirs !== undefined && isBetter(theirs, ours, likelihood, judge) ? theirs : ours;
  }
  return settled;
}

function isBetter(
  theirs: unknown,
  ours: unknown,
  likelihood: number | undefined,
  { isSaid, isFoundBy, isTrusted }: Omit<ArgumentSources, "given" | "isPlanned" | "isMadeUp">,
): boolean {
  const readsOthers = idsIn(theirs).length > 0;
  const isDoubted = isTrusted || (likelihood !== undefined && likelihood < unsureReference);
  if (idsIn(ours).length > 0) {
    if (readsOthers) return isDoubted;
    return (isDoubted || likelihood === undefined) && isSaid(theirs) && !isFoundBy(ours, theirs);
  }
  if (likelihood === undefined) return !isSaid(ours) && !readsOthers && isSaid(theirs);
  if (readsOthers) return likelihood < (isTrusted ? sureValue : unsureReference);
  return likelihood < sureValue && (isTrusted || isSaid(theirs));
}

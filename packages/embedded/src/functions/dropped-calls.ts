import type { Profile } from "../catalogue/profile.ts";
import { missingArguments } from "../draft/tasks.ts";
import type { Chunk } from "../language/clauses/chunks.ts";
import { opensClause } from "../language/clauses/clauses.ts";
import { blank, type Token } from "../language/text/token.ts";
import type { FunctionPlanning } from "./arguments/function-planning.ts";
import { callWeights } from "./learned/call-weights.ts";
import { lacking, type PlannedCall, readCall, withFurther } from "./read-call.ts";
import { doesAct } from "./segmenting/does-act.ts";
import { droppedActs } from "./segmenting/dropped-acts.ts";
import { latticeOf, maxChunksPerCall } from "./segmenting/lattice.ts";
import { type Opening, openingOf } from "./segmenting/opening.ts";
import { relevanceOf } from "./segmenting/relevance.ts";

/** A tool for which less speaks than this is not called for a second act. */
const minScore = -0.4;

/**
 * Adds a call for an act that no planned call does ("… and close it"), where a tool surely does it: its verb, its sort of act or one of
 * its values says so, and what it requires is said or known from the calls before. The call that had those words is read again without them.
 */
export function addDropped(
  calls: PlannedCall[],
  chunks: readonly Chunk[],
  tokens: readonly Token[],
  planning: FunctionPlanning,
): void {
  if (calls.length === 0) return;
  const { catalogue } = planning;
  const planned = new Set(calls.map(({ profile }) => profile));
  const dropped = droppedActs(tokens, chunks, [...planned], catalogue, () => false);
  if (dropped.length === 0) return;
  const { options } = latticeOf(tokens, chunks, relevanceOf(catalogue, planning.words), catalogue, callWeights);
  for (const chunk of dropped) {
    const first = chunks.indexOf(chunk);
    const last = endOfClause(chunks, first, tokens, planning);
    const words = tokens.slice(chunk.from, chunks[last]!.to);
    const owner = calls.findLast((call) => call.tokens.some(({ start }) => start === words[0]!.start));
    const at = owner === undefined ? calls.length - 1 : calls.indexOf(owner);
    const opening = openingOf(tokens, chunk);
    const before = calls.slice(0, at + 1);
    const readings = (options[first]?.[last - first] ?? [])
      .filter(({ profile, offered, score }) => offered && score >= minScore && !planned.has(profile))
      .flatMap(({ profile, score }) =>
        isSure(profile, opening) ? [{ reading: readCall(profile, words, before, planning), score }] : [],
      );
    const best = readings.find(({ reading }) => missingArguments(reading.draft).length === 0);
    if (best === undefined) continue;
    if (owner !== undefined && owner.drafts.length === 1) {
      const rest = readCall(owner.profile, without(owner.tokens, words), calls.slice(0, at), planning);
      if (lacking(rest) > lacking(owner)) continue;
      const choice = planning.chosen.get(owner.drafts[0]!);
      calls[at] = withFurther(rest, calls.slice(0, at), planned, planning);
      const draft = calls[at]!.drafts.find(({ profile }) => profile === owner.profile);
      if (choice !== undefined && draft !== undefined) planning.chosen.set(draft, choice);
    }
    const again = readCall(best.reading.profile, words, calls.slice(0, at + 1), planning);
    const call = withFurther(again, calls.slice(0, at + 1), planned, planning);
    planned.add(call.profile);
    calls.splice(at + 1, 0, call);
    const draft = call.drafts.find(({ profile }) => profile === call.profile);
    const text = planning.text.slice(words[0]!.start, words.at(-1)!.end).trim();
    const alternatives = readings
      .filter(({ reading }) => reading.profile !== call.profile)
      .map(({ reading, score }) => ({ tool: reading.profile.resource.id, score }));
    if (draft !== undefined) planning.chosen.set(draft, { text, score: best.score, alternatives });
  }
}

/** Its act is of the sort that is asked for, or its verb or one of its values is; that both make something says too little here. */
const isSure = (profile: Profile, opening: Opening) => doesAct(profile, { ...opening, actions: new Set() });

/** The last chunk before the sentence ends or another verb opens a request. */
function endOfClause(
  chunks: readonly Chunk[],
  first: number,
  tokens: readonly Token[],
  { catalogue }: FunctionPlanning,
): number {
  let last = first;
  while (last + 1 < chunks.length && last + 1 - first < maxChunksPerCall) {
    const next = chunks[last + 1]!;
    const { at, imperative } = openingOf(tokens, next);
    if (next.sentence !== chunks[first]!.sentence || (imperative && opensClause(tokens, at, catalogue))) break;
    last += 1;
  }
  return last;
}

const without = (tokens: readonly Token[], left: readonly Token[]) => {
  const starts = new Set(left.map(({ start }) => start));
  return tokens.map((token) => (starts.has(token.start) ? blank(token) : token));
};

import { type Candidate, compareCandidates } from "./candidate.ts";

/**
 * Why the first of the sorted candidates was kept, in one or two sentences for a person.
 * @param score what they are sorted by, where more counts than the makespan.
 */
export function explain(sorted: readonly Candidate[], taskCount: number, score?: (each: Candidate) => number): string {
  const [best, ...others] = sorted;
  if (best === undefined || taskCount === 0) return "The plan has no tasks, so there is nothing to dispatch.";
  const { strategy, metrics } = best;
  const kept = `${strategy.name}: ${strategy.description}. ${count(taskCount, "task")} in ${count(metrics.dispatches, "dispatch")}, predicted ${seconds(metrics.makespanMs)}.`;
  // A rival that groups just as the winner does says nothing about why it won.
  const rival = others.find((other) => other.metrics.dispatches !== metrics.dispatches || slower(other, best));
  if (rival === undefined)
    return others.length === 0 ? kept : `${kept} Every strategy groups this plan the same way or as well.`;
  const rivalName = `${rival.strategy.name} (${count(rival.metrics.dispatches, "dispatch")}`;
  if (score !== undefined) {
    const costs = score(rival) === score(best) ? "the same" : byHowMuch(score(rival), score(best), "more");
    return `${kept} By the objective the next best, ${rivalName}, ${seconds(rival.metrics.makespanMs)}), costs ${costs}.`;
  }
  if (slower(rival, best)) {
    const longer = byHowMuch(rival.metrics.makespanMs, metrics.makespanMs, "longer");
    return `${kept} The next best, ${rivalName}), would take ${seconds(rival.metrics.makespanMs)}, ${longer}.`;
  }
  return `${kept} As fast as ${rivalName}) with fewer dispatches.`;
}

/** `12% longer`; there is no share of 0. */
function byHowMuch(rival: number, best: number, word: string): string {
  if (best === 0) return word;
  const percent = (rival / best - 1) * 100;
  return `${percent < 1 ? "under 1" : Math.round(percent)}% ${word}`;
}

function slower(other: Candidate, best: Candidate): boolean {
  return compareCandidates(best, other) < 0 && other.metrics.makespanMs > best.metrics.makespanMs;
}

function count(value: number, noun: string): string {
  return `${value} ${value === 1 ? noun : noun === "dispatch" ? "dispatches" : `${noun}s`}`;
}

function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}

import type { Journal, StoredRun } from "./journal.ts";
import { liveLease, type MemoryRun, type MemoryRuns, storedRun } from "./memory-runs.ts";
import type { MemoryWait } from "./memory-wait-store.ts";
import { metadataMatcher, openStatuses } from "./run-filter.ts";
import { signalSchemasOf } from "./signal-schemas.ts";
import { type DueRun, maxPendingSignals } from "./stored-wait.ts";
import { refuseEnded, signalsFull } from "./wait-refusals.ts";

/** Waits and signals of the runs of a journal in memory. */
export function waitMethods(runs: MemoryRuns) {
  return {
    async keepWaits(runId, owner, { put, remove }) {
      const { waiting } = runs.held(runId, owner);
      for (const wait of put) waiting.putWait(copy(wait));
      for (const id of remove) waiting.removeWait(id);
    },
    async getWaits(runId) {
      return runs.get(runId).waiting.waits.map(({ wait }) => copy(wait));
    },
    async addSignal(runId, given) {
      const { waiting, status } = runs.get(runId);
      refuseEnded(runId, status);
      const before = waiting.signal(given.id);
      if (before !== undefined) return { added: false, signal: copy(before), awaited: before.taken_by !== undefined };
      if (waiting.pendingCount >= maxPendingSignals) throw signalsFull(runId);
      const signal = copy(given);
      const awaited = waiting.addSignal(signal);
      return { added: true, signal: copy(signal), awaited };
    },
    async getSignalSchemas(runId, event) {
      const run = runs.get(runId);
      const { length: revision } = run.revisions;
      if (run.signalSchemas?.revision !== revision)
        run.signalSchemas = { revision, byEvent: signalSchemasOf(storedRun(runId, run).plan) };
      return copy(run.signalSchemas.byEvent.get(event) ?? []);
    },
    async getPendingSignals(runId) {
      return runs.get(runId).waiting.pendingNames;
    },
    async getSignals(runId) {
      return runs.get(runId).waiting.signals.map(copy);
    },
    async takeSignals(runId, owner, waits) {
      const { waiting } = runs.held(runId, owner);
      return waits.flatMap((wait) => {
        const taken = wait.event === undefined ? undefined : waiting.take(wait);
        return taken === undefined ? [] : [copy(taken)];
      });
    },
    async claimDueRuns({ now, limit, holdMs, metadata }) {
      const due: DueRun[] = [];
      const isMeant = metadataMatcher(metadata);
      for (const [run_id, run] of runs.entries()) {
        const found = dueWaits(run, now).filter(({ claimedUntil }) => claimedUntil <= now);
        if (found.length === 0 || !openStatuses.has(run.status) || liveLease(run) !== undefined) continue;
        if (!isMeant((JSON.parse(run.options) as StoredRun["options"]).metadata)) continue;
        due.push({ run_id, due_at: Math.min(...found.map(({ dueAt }) => dueAt)) });
      }
      const claimed = due.sort((left, right) => left.due_at - right.due_at).slice(0, limit);
      for (const { run_id } of claimed)
        for (const wait of dueWaits(runs.get(run_id), now)) wait.claimedUntil = now + holdMs;
      return claimed;
    },
    async nextDue() {
      let next = Number.POSITIVE_INFINITY;
      for (const [, { waiting, status }] of runs.entries()) {
        if (!openStatuses.has(status)) continue;
        for (const { dueAt, claimedUntil } of waiting.waits) next = Math.min(next, Math.max(dueAt, claimedUntil));
      }
      return next === Number.POSITIVE_INFINITY ? undefined : next;
    },
  } satisfies Partial<Journal>;
}

function dueWaits({ waiting }: MemoryRun, now: number): MemoryWait[] {
  return [...waiting.waits].filter(({ dueAt }) => dueAt <= now);
}

function copy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

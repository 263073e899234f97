import type { Journal } from "./journal.ts";
import { liveLease, type MemoryRun, type MemoryRuns } from "./memory-runs.ts";
import type { MemoryWait, MemoryWaits } from "./memory-wait-store.ts";
import { openStatuses } from "./run-filter.ts";
import { type DueRun, maxPendingSignals, type StoredSignal, type StoredWait } from "./stored-wait.ts";
import { refuseEnded, signalsFull } from "./wait-refusals.ts";

/** Waits and signals of the runs of a journal in memory. */
export function waitMethods(runs: MemoryRuns) {
  return {
    async keepWaits(runId, owner, { put, remove }) {
      const { waiting } = runs.held(runId, owner);
      for (const wait of put.map(copy)) {
        const { due_at = Number.POSITIVE_INFINITY } = wait;
        const pending = wait.event === undefined ? undefined : pendingFor(waiting, wait);
        const dueAt = pending === undefined ? due_at : Date.parse(pending.sent_at);
        waiting.waits.set(wait.id, { wait, dueAt, claimedUntil: 0 });
      }
      for (const id of remove) waiting.waits.delete(id);
    },
    async getWaits(runId) {
      return [...runs.get(runId).waiting.waits.values()].map(({ wait }) => copy(wait));
    },
    async addSignal(runId, given) {
      const { waiting, status } = runs.get(runId);
      refuseEnded(runId, status);
      const before = waiting.signals.get(given.id);
      if (before !== undefined) return { added: false, signal: copy(before), awaited: before.taken_by !== undefined };
      const pending = [...waiting.signals.values()].filter(({ taken_by }) => taken_by === undefined);
      if (pending.length >= maxPendingSignals) throw signalsFull(runId);
      const signal = copy(given);
      waiting.signals.set(signal.id, signal);
      const taken = new Set([...waiting.signals.values()].map(({ taken_by }) => taken_by));
      const sentMs = Date.parse(signal.sent_at);
      const first = [...waiting.waits.values()].find(
        ({ wait, dueAt }) => dueAt >= sentMs && fits(signal, wait) && !taken.has(wait.id),
      );
      if (first !== undefined) {
        first.dueAt = sentMs;
        first.claimedUntil = 0;
      }
      return { added: true, signal: copy(signal), awaited: first !== undefined };
    },
    async getSignals(runId) {
      return [...runs.get(runId).waiting.signals.values()].map(copy);
    },
    async takeSignals(runId, owner, waits) {
      const { waiting } = runs.held(runId, owner);
      return waits.flatMap((wait) => {
        const known = [...waiting.signals.values()];
        const signal = known.find(({ taken_by }) => taken_by === wait.id) ?? pendingFor(waiting, wait);
        if (signal === undefined) return [];
        const taken = { ...signal, taken_by: wait.id };
        waiting.signals.set(signal.id, taken);
        return [copy(taken)];
      });
    },
    async claimDueRuns({ now, limit, holdMs }) {
      const due: DueRun[] = [];
      for (const [run_id, run] of runs.entries()) {
        const found = dueWaits(run, now).filter(({ claimedUntil }) => claimedUntil <= now);
        if (found.length === 0 || !openStatuses.has(run.status) || liveLease(run) !== undefined) continue;
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
        for (const { dueAt, claimedUntil } of waiting.waits.values())
          next = Math.min(next, Math.max(dueAt, claimedUntil));
      }
      return next === Number.POSITIVE_INFINITY ? undefined : next;
    },
  } satisfies Partial<Journal>;
}

function dueWaits({ waiting }: MemoryRun, now: number): MemoryWait[] {
  return [...waiting.waits.values()].filter(({ dueAt }) => dueAt <= now);
}

function pendingFor({ signals }: MemoryWaits, wait: StoredWait): StoredSignal | undefined {
  for (const signal of signals.values()) if (signal.taken_by === undefined && fits(signal, wait)) return signal;
  return undefined;
}

function fits(signal: StoredSignal, { event, key = "", due_at = Number.POSITIVE_INFINITY }: StoredWait): boolean {
  return signal.event === event && signal.key === key && Date.parse(signal.sent_at) <= due_at;
}

function copy<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}

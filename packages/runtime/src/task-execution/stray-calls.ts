import type { ExecutionKind } from "@planloom/plan";
import { EVERY_TASK, type Limits } from "../core/limits.ts";
import { unguarded } from "../edge/guard-journal.ts";
import type { LimitPool } from "./limit-pool.ts";

/** An attempt that ignored its signal and goes on. */
export interface StrayCall {
  /** Absent where it was Stage 2's. */
  readonly kind?: ExecutionKind | undefined;
  readonly uid?: string | undefined;
}

interface Going extends StrayCall {
  readonly ended: Promise<void>;
}

/** By where runs are kept and by run: a later session of a run in this process counts what its earlier ones left behind. */
const going = new WeakMap<object, Map<string, Set<Going>>>();

/** Notes an attempt that goes on after its session. @returns what to call when it has ended. */
export function noteStray(journal: object, runId: string, stray: StrayCall): () => void {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const byRun = going.get(unguarded(journal)) ?? new Map<string, Set<Going>>();
  going.set(unguarded(journal), byRun);
  const ofRun = byRun.get(runId) ?? new Set<Going>();
  byRun.set(runId, ofRun);
  const one = { ...stray, ended };
  ofRun.add(one);
  return () => {
    ofRun.delete(one);
    if (ofRun.size === 0) byRun.delete(runId);
    resolve();
  };
}

/** Takes the slots of what earlier sessions of the run left behind, until it has ended. */
export function holdStrays(journal: object, runId: string, pool: LimitPool): void {
  const { limits } = pool;
  for (const stray of going.get(unguarded(journal))?.get(runId) ?? []) {
    const groups = [EVERY_TASK, ...ownGroups(stray, limits)];
    for (const group of groups) {
      limits.take(group);
      limits.stray(group);
    }
    void stray.ended.then(() => {
      for (const group of groups) limits.settle(group);
      pool.noticeReleases();
    });
  }
}

function ownGroups({ kind, uid }: StrayCall, limits: Limits): number[] {
  if (kind === undefined) return [];
  return [limits.kindGroup(kind), uid === undefined ? -1 : limits.resourceGroup(kind, uid)];
}

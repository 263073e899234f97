import type { ExecutionKind } from "@planloom/plan";
import { EVERY_TASK, type Limits } from "../core/limits.ts";
import { unguarded } from "../edge/guard-journal.ts";
import type { FamilyLimits } from "./family-limits.ts";

/** The resource whose slots an attempt still takes that ignored its signal. */
export interface AbandonedSlots {
  /** Absent where it was Stage 2's. */
  readonly kind?: ExecutionKind | undefined;
  readonly uid?: string | undefined;
}

interface Going extends AbandonedSlots {
  readonly ended: Promise<void>;
}

/** By journal and by run: a later session of a run in this process counts the attempts that its earlier ones left behind. */
const going = new WeakMap<object, Map<string, Set<Going>>>();

/** Notes the slots of an attempt that outlives its session. @returns what to call when it has ended. */
export function noteAbandonedSlots(journal: object, runId: string, slots: AbandonedSlots): () => void {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const byRun = going.get(unguarded(journal)) ?? new Map<string, Set<Going>>();
  going.set(unguarded(journal), byRun);
  const ofRun = byRun.get(runId) ?? new Set<Going>();
  byRun.set(runId, ofRun);
  const one = { ...slots, ended };
  ofRun.add(one);
  return () => {
    ofRun.delete(one);
    if (ofRun.size === 0) byRun.delete(runId);
    resolve();
  };
}

/** Takes the slots of attempts that earlier sessions of the run left behind, until they have ended. */
export function holdAbandonedSlots(journal: object, runId: string, family: FamilyLimits): void {
  const { limits } = family;
  for (const held of going.get(unguarded(journal))?.get(runId) ?? []) {
    const { kind, uid } = held;
    const key = kind === undefined ? "" : `${kind}:${uid ?? ""}`;
    void held.ended.then(family.keepFor([EVERY_TASK, ...ownGroups(held, limits)], key));
  }
}

function ownGroups({ kind, uid }: AbandonedSlots, limits: Limits): number[] {
  if (kind === undefined) return [];
  return [limits.kindGroup(kind), uid === undefined ? -1 : limits.resourceGroup(kind, uid)];
}

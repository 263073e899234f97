import type { PlanPatch } from "@planloom/plan";
import { replacedIds } from "../ports/stored-revision.ts";
import { type ChainEntry, rowDigest } from "./run-chain.ts";

/** What the chain of a run gains with a revision: its own row, and one for each task that it replaced. @param text the revision as JSON */
export function revisionEntries(patch: PlanPatch, text: string): ChainEntry[] {
  const { base, patch_id } = patch;
  return [
    ["revisions", patch_id, rowDigest("revisions", patch_id, [base, text])],
    ...replacedIds(patch).map((id): ChainEntry => ["replaced_tasks", id, rowDigest("replaced_tasks", id, [])]),
  ];
}

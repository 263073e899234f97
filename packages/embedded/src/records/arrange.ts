import { type Draft, fillLink, hasLinks, isFilled, key, sourcesOf } from "../draft/draft.ts";
import type { RecordPlanning } from "./record-planning.ts";

/** Leaves out tasks that are planned already, and points what used them at the first. */
export function dedupe(drafts: readonly Draft[], planning: RecordPlanning): Draft[] {
  const kept: Draft[] = [];
  for (const draft of drafts) {
    if (kept.includes(draft)) continue;
    if (planning.drafts.includes(draft)) continue;
    const same = kept.find((other) => sameTask(other, draft));
    if (same === undefined) {
      kept.push(draft);
      continue;
    }
    for (const user of drafts) {
      for (const { parameter, filling } of user.filled.values()) {
        if (filling.kind === "link" && filling.link.source === draft)
          fillLink(user, parameter, { ...filling.link, source: same });
      }
    }
  }
  return kept;
}

/** Stable: only moves a source before what uses it, and adds one that nothing planned yet. */
export function sourcesFirst(drafts: readonly Draft[], planned: readonly Draft[]): Draft[] {
  const result = new Set<Draft>();
  const visit = (draft: Draft): void => {
    if (result.has(draft)) return;
    for (const source of sourcesOf(draft)) if (!planned.includes(source)) visit(source);
    result.add(draft);
  };
  for (const draft of drafts) visit(draft);
  return [...result];
}

export function sameTask(left: Draft, right: Draft): boolean {
  if (left.profile !== right.profile || left.filled.size !== right.filled.size || hasLinks(left) || hasLinks(right))
    return false;
  if (left.filled.size === 0 && left.support !== right.support) return false;
  return [...left.filled.values()].every(({ parameter, filling }) => {
    if (!isFilled(right, parameter) || filling.kind !== "value") return false;
    const other = right.filled.get(key(parameter))?.filling;
    return other?.kind === "value" && JSON.stringify(other.value) === JSON.stringify(filling.value);
  });
}

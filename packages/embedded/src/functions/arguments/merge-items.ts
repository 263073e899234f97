import type { Parameter } from "../../catalogue/parameter.ts";
import { type Draft, key } from "../../draft/draft.ts";

/**
 * Calls that differ only in the fields of one list of objects are one call with several objects: "add the tasks A and B". The
 * first of them takes the objects of the others, in their order.
 */
export function mergeItems(drafts: readonly Draft[]): Draft[] {
  const merged: Draft[] = [];
  for (const draft of drafts) {
    const before = merged.find(
      (other) => other.profile === draft.profile && listOfDifference(other, draft) !== undefined,
    );
    if (before === undefined) {
      merged.push(draft);
      continue;
    }
    const list = listOfDifference(before, draft)!;
    const count = itemCount(before, list);
    for (const { parameter, filling } of draft.filled.values()) {
      if (JSON.stringify(parameter.list) !== list) continue;
      const moved = atItem(parameter, count);
      before.filled.set(key(moved), { parameter: moved, filling });
    }
  }
  return merged;
}

/** The only list in whose objects two calls of one resource differ, as a slot; undefined where they differ elsewhere, or nowhere. */
function listOfDifference(left: Draft, right: Draft): string | undefined {
  const lists = new Set<string>();
  for (const slot of new Set([...left.filled.keys(), ...right.filled.keys()])) {
    const [own, other] = [left.filled.get(slot), right.filled.get(slot)];
    const parameter = own?.parameter ?? other?.parameter;
    if (
      own?.filling.kind === "value" &&
      other?.filling.kind === "value" &&
      sameValue(own.filling.value, other.filling.value)
    )
      continue;
    if (parameter?.list === undefined) return undefined;
    lists.add(JSON.stringify(parameter.list));
  }
  const [only, ...more] = lists;
  return more.length > 0 ? undefined : only;
}

const sameValue = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right);

function itemCount(draft: Draft, list: string): number {
  const at = (JSON.parse(list) as unknown[]).length;
  const positions = [...draft.filled.values()].flatMap(({ parameter }) =>
    JSON.stringify(parameter.list) === list ? [Number(parameter.path[at])] : [],
  );
  return 1 + Math.max(-1, ...positions);
}

function atItem(parameter: Parameter, position: number): Parameter {
  const at = parameter.list?.length ?? 0;
  return { ...parameter, path: parameter.path.map((step, index) => (index === at ? position : step)) };
}

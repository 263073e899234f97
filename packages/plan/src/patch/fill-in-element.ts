import type { PlannerTask } from "../records/planner-task.ts";
import { hasFlowValues, indexName, withoutSchema } from "../references/flow-values.ts";
import { mapReferences, transformReferences } from "../references/map-references.ts";
import { parseReference } from "../references/parse-reference.ts";
import { wholeReference } from "../references/parse-template.ts";
import type { Reference } from "../references/reference.ts";

/** What the names of an element mean from now on. */
export interface FilledElement {
  readonly index: number;
  /** The name of the element; absent where only its place is filled in. */
  readonly itemName?: string;
  readonly item?: Reference;
}

/**
 * A task with the place of an element written out, and with the element named by a reference of the plan around it. Within lists inside of the
 * task these names mean other things, so that nothing but their `items` changes there.
 */
export function withElementFilledIn(task: PlannerTask, element: FilledElement): PlannerTask {
  const fill = <Value>(value: Value): Value => filledIn(value, element) as Value;
  const changed: PlannerTask = { ...task, arguments: fill(task.arguments), parameters: fill(task.parameters) };
  if (!hasFlowValues(task)) return changed;
  const { for_each, when, choose, wait, retry_until } = task;
  const branches = choose?.branches.map((branch) =>
    branch.condition === undefined ? branch : { ...branch, condition: fill(branch.condition) },
  );
  return {
    ...changed,
    ...(for_each !== undefined && {
      for_each: {
        ...for_each,
        ...(for_each.tasks !== undefined && { tasks: for_each.tasks.map((inner) => inElement(inner, element)) }),
      },
    }),
    ...(when !== undefined && { when: { condition: fill(when.condition) } }),
    ...(choose !== undefined && branches !== undefined && { choose: { ...choose, branches } }),
    ...(wait !== undefined && {
      wait: { ...fill(withoutSchema(wait)), ...(wait.schema !== undefined && { schema: wait.schema }) },
    }),
    ...(retry_until !== undefined && { retry_until: fill(retry_until) }),
  };
}

/** A task of an element. In one that has a list itself, only the list is read in the element around it. */
function inElement(task: PlannerTask, element: FilledElement): PlannerTask {
  const { for_each } = task;
  if (for_each === undefined) return withElementFilledIn(task, element);
  const items = filledIn(for_each.items, element) as typeof for_each.items;
  return { ...task, for_each: { ...for_each, items } };
}

function filledIn(value: unknown, { index, itemName, item }: FilledElement): unknown {
  const replaced = (reference: Reference): Reference | string => {
    if (reference.name === indexName) return String(index);
    if (reference.name !== itemName || item === undefined) return reference;
    const optional = reference.optional || item.optional;
    return { name: item.name, path: [...item.path, ...reference.path], optional };
  };
  const isIndex = (reference: Reference | undefined) => reference?.name === indexName && reference.path.length === 0;
  return transformReferences(value, {
    // As a whole value the place is a number, within a text it is digits.
    text: (text) => (isIndex(wholeReference(text)) ? index : mapReferences(text, replaced)),
    object: (text, object) => (isIndex(read(text)) ? index : mapReferences(object, replaced)),
    textObject: (_, object) => mapReferences(object, replaced),
  });
}

function read(text: string): Reference | undefined {
  try {
    return parseReference(text);
  } catch {
    return undefined;
  }
}

import type { DraftCall, DraftTask } from "./draft-task.ts";
import { symbolicOf } from "./symbolic.ts";

/**
 * The call that a list makes for each element itself (`for_each` without `tasks`): where an element has this one task, and the list says
 * nothing that the call says, too. Undefined for a list whose elements have tasks of their own.
 */
export function foldedCall(list: DraftTask): DraftCall | undefined {
  if (list.work.kind !== "list") return undefined;
  const { scope, result } = list.work.elements!;
  const [only, second] = scope.tasks;
  if (only !== result || second !== undefined || only.work.kind !== "call") return undefined;
  const { options } = only.work;
  // About each element one decides in a task of its own.
  if (only.work.decides !== undefined) return undefined;
  const isTwice = Object.keys(options).some((name) => name !== "id" && name in list.work.options);
  // A condition that is not about the element would be asked once, before the list.
  if (isTwice || (options.when !== undefined && !isAbout(options.when, list))) return undefined;
  return only.work;
}

/** Whether an expression refers to the element of a list, or to its place. */
function isAbout(value: unknown, list: DraftTask): boolean {
  const symbolic = symbolicOf(value);
  if (symbolic?.kind === "expression") return symbolic.parts.some((part) => isAbout(part, list));
  return symbolic?.kind === "reference" && "list" in symbolic.target && symbolic.target.list === list;
}

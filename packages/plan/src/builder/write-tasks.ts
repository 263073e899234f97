import type { ForEachInput, PlannerTaskInput } from "../records/planner-task.ts";
import type { OnDeadline } from "../records/waiting.ts";
import { formatReference } from "../references/format-reference.ts";
import { pinFields } from "../resource-pin.ts";
import { valueText } from "../validation/value-text.ts";
import { invalid } from "./draft-plan.ts";
import type { DraftCall, DraftDecision, DraftList, DraftScope, DraftTask, DraftWait } from "./draft-task.ts";
import { foldedCall } from "./folded.ts";
import type { DraftNames } from "./name-tasks.ts";
import { renderComputed } from "./render-computed.ts";
import { type NameOf, referenceOf, renderExpression, renderText, renderValue } from "./render-value.ts";
import { symbolicOf, type Target } from "./symbolic.ts";
import { fieldsOf, listFieldsOf, type TaskOptions } from "./task-options.ts";

/** The tasks of a scope as a plan has them, in the order in which they were made. @throws PlanError INVALID */
export function writeTasks(scope: DraftScope, names: DraftNames): PlannerTaskInput[] {
  return scope.tasks.map((task) => {
    const id = names.ids.get(task)!;
    const dependencies = dependenciesOf(task, names);
    const written =
      task.work.kind === "call"
        ? writeCall(task.work, scope, id, names)
        : task.work.kind === "choose"
          ? writeDecision(task.work, scope, id, names)
          : task.work.kind === "wait"
            ? writeWait(task.work, scope, id, names)
            : writeList(task, task.work, id, names);
    return { task_id: id, ...written, ...(dependencies.length > 0 && { dependencies }) };
  });
}

function writeCall({ resource, input, options, decides }: DraftCall, scope: DraftScope, id: string, names: DraftNames) {
  const nameOf = namesWithin(scope, names, id);
  const { parameters: pinned, ...pins } = pinFields(resource);
  const { parameters: given, ...fields } = fieldsOf(options, false);
  const parameters = { ...(renderValue(given ?? {}, nameOf, `parameters of "${id}"`) as object), ...pinned };
  return {
    execution_type: resource.kind,
    ...pins,
    ...(Object.keys(parameters).length > 0 && { parameters }),
    ...argumentsOf(input, nameOf, `arguments of "${id}"`),
    ...fields,
    ...(decides !== undefined && { choose: choiceOf(decides) }),
    ...whenOf(options.when, nameOf, id),
    ...(options.retry_until !== undefined && { retry_until: repeated(options.retry_until, nameOf, id) }),
  } satisfies PlannerTaskInput;
}

function argumentsOf(
  input: unknown,
  nameOf: NameOf,
  at: string,
): Pick<PlannerTaskInput, "arguments" | "convertor_code"> {
  const symbolic = symbolicOf(input);
  if (symbolic?.kind === "computed") return renderComputed(symbolic.parts, nameOf, at);
  return { arguments: renderValue(input, nameOf, at) as Record<string, unknown> };
}

function repeated(
  { condition, on_deadline, ...rest }: NonNullable<TaskOptions["retry_until"]>,
  nameOf: NameOf,
  id: string,
) {
  const at = `\`retry_until\` of "${id}"`;
  return { ...rest, condition: renderExpression(condition, nameOf, at), ...deadlineOf(on_deadline, nameOf, at) };
}

function deadlineOf(on_deadline: OnDeadline | undefined, nameOf: NameOf, at: string): { on_deadline?: OnDeadline } {
  return on_deadline === undefined ? {} : { on_deadline: renderValue(on_deadline, nameOf, at) as OnDeadline };
}

function writeWait({ wait, options }: DraftWait, scope: DraftScope, id: string, names: DraftNames) {
  const nameOf = namesWithin(scope, names, id);
  const { schema, event, key, ...fields } = wait;
  const at = `\`wait\` of "${id}"`;
  const written = renderValue(fields, nameOf, at) as NonNullable<PlannerTaskInput["wait"]>;
  return {
    wait: {
      ...written,
      ...(event !== undefined && { event: renderText(event, nameOf, at) as string }),
      ...(key !== undefined && { key: renderText(key, nameOf, at) as string }),
      // A schema is data: nothing in it is a reference.
      ...(schema !== undefined && { schema: schema as Record<string, unknown> }),
    },
    ...fieldsOf(options, true),
    ...whenOf(options.when, nameOf, id),
  } satisfies PlannerTaskInput;
}

function choiceOf({
  branches,
  else: otherwise,
}: NonNullable<DraftCall["decides"]>): NonNullable<PlannerTaskInput["choose"]> {
  const named = Object.entries(branches).map(([name, description]) => ({
    name,
    ...(description !== "" && { description }),
  }));
  return { branches: named, ...(otherwise !== undefined && { else: otherwise }) };
}

function writeDecision({ branches, options }: DraftDecision, scope: DraftScope, id: string, names: DraftNames) {
  const nameOf = namesWithin(scope, names, id);
  const conditions = Object.entries(branches).map(([name, condition]) => ({
    name,
    condition: renderExpression(condition, nameOf, `the condition of branch "${name}" of "${id}"`),
  }));
  return {
    choose: { branches: conditions, ...(options.else !== undefined && { else: options.else }) },
    ...fieldsOf(options, true),
    ...whenOf(options.when, nameOf, id),
  } satisfies PlannerTaskInput;
}

function writeList(task: DraftTask, { items, options, elements }: DraftList, id: string, names: DraftNames) {
  const { scope, result } = elements!;
  const nameOf = namesWithin(task.scope, names, id);
  const item = names.items.get(task)!;
  const list = {
    items: itemsOf(items, nameOf, id),
    ...(item !== "item" && { as: item }),
    ...listFieldsOf(options),
  } as ForEachInput;
  const own = { ...fieldsOf(options, true), ...whenOf(options.when, nameOf, id) };
  const call = foldedCall(task);
  if (call !== undefined) return { ...writeCall(call, scope, id, names), ...own, for_each: list };
  const tasks = writeTasks(scope, names);
  const isOnly = tasks.length === 1;
  return { ...own, for_each: { ...list, tasks, ...(!isOnly && { result: names.ids.get(result)! }) } };
}

function whenOf(when: unknown, nameOf: NameOf, id: string): Pick<PlannerTaskInput, "when"> {
  return when === undefined ? {} : { when: { condition: renderExpression(when, nameOf, `\`when\` of "${id}"`) } };
}

function itemsOf(items: unknown, nameOf: NameOf, id: string): ForEachInput["items"] {
  const symbolic = symbolicOf(items);
  if (symbolic?.kind === "reference") return formatReference(referenceOf(symbolic, nameOf));
  if (Array.isArray(items)) return renderValue(items, nameOf, `list of "${id}"`) as unknown[];
  throw invalid(
    `Expected \`t.each\` to be given a list or a reference to one, got ${valueText(symbolic?.kind ?? items)}.`,
  );
}

/** What `after` names, for a list also in its elements: the whole list waits for what is outside of it. */
function dependenciesOf(task: DraftTask, { ids }: DraftNames): string[] {
  const found = new Set<string>();
  const visit = ({ work }: DraftTask) => {
    for (const value of work.options.after ?? []) {
      const symbolic = symbolicOf(value);
      if (symbolic?.kind !== "reference" || symbolic.target.kind !== "task") {
        const message = `Expected \`after\` of "${ids.get(task)}" to list tasks (what \`t.call\` or \`t.each\` gives), got ${valueText(symbolic?.kind ?? value)}.`;
        throw invalid(message);
      }
      const { target } = symbolic;
      if (target.task.scope === task.scope && target.task !== task) found.add(ids.get(target.task)!);
      else if (!isAround(target.task.scope, task.scope) && !isAround(task.scope, target.task.scope))
        throw outside(target, task.scope);
    }
    if (work.kind === "list") for (const inner of work.elements!.scope.tasks) visit(inner);
  };
  visit(task);
  return [...found];
}

/** Names as they are where a task is: the tasks beside and around it, and the elements that it is within. */
function namesWithin(place: DraftScope, { ids, items }: DraftNames, id: string): NameOf {
  return (target) => {
    switch (target.kind) {
      case "name":
        return target.name;
      case "task":
        if (!isAround(target.task.scope, place)) throw outside(target, place);
        return ids.get(target.task)!;
      case "item":
      case "index": {
        const name = target.kind === "item" ? items.get(target.list)! : "index";
        for (let scope: DraftScope | undefined = place; scope?.list !== undefined; scope = scope.around) {
          if (scope.list === target.list) return name;
          const isHidden = target.kind === "index" || items.get(scope.list) === name;
          if (!isHidden) continue;
          const what = target.kind === "item" ? `the element "${name}"` : "the place";
          const way =
            target.kind === "item"
              ? "Give one of the lists another name with `as`"
              : "Pass the place on as an argument of a task of the outer list";
          throw invalid(`Task "${id}" refers to ${what} of an outer list, which the inner list hides. ${way}.`);
        }
        throw outside(target, place);
      }
    }
  };
}

function isAround(outer: DraftScope, inner: DraftScope): boolean {
  for (let scope: DraftScope | undefined = inner; scope !== undefined; scope = scope.around)
    if (scope === outer) return true;
  return false;
}

/** @param place where it is referred to */
function outside(target: Exclude<Target, { readonly kind: "name" }>, place: DraftScope): Error {
  const made = target.kind === "task" ? target.task.scope : target.list.scope;
  if (outermost(made) !== outermost(place))
    return invalid(
      "A reference is of another plan. A plan refers to its own tasks and elements; make a workflow (`defineWorkflow`) of the other plan to call it here.",
    );
  const what = target.kind === "task" ? "A task within a list" : "The element of a list";
  return invalid(
    `${what} is referred to outside of the function that was given to \`t.each\`. Outside there is what \`t.each\` returns: the list of the results.`,
  );
}

/** The scope of the plan that a scope is within. */
export function outermost(scope: DraftScope): DraftScope {
  let around = scope;
  while (around.around !== undefined) around = around.around;
  return around;
}

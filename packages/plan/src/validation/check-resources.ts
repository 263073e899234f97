import { IssueCode, type PlanIssue } from "../issue.ts";
import { type ExecutionKind, executionKinds, kindRecord } from "../kinds/kinds.ts";
import type { ResourceCatalogue } from "../ports/resource.ts";
import { nearestNames } from "./nearest-names.ts";
import type { PlanFacts } from "./plan-facts.ts";
import type { Repairs } from "./repairs.ts";
import { resourceTyping } from "./resource-typing.ts";
import { listText, valueText } from "./value-text.ts";

/** Resources whose schema cannot be read: an error if the plan uses them, else a warning. One issue a resource. */
export function checkCatalogue({ catalogue, typings }: PlanFacts): PlanIssue[] {
  if (!catalogue) return [];
  const used = new Set(typings.map((typing) => typing?.resource));
  const issues: PlanIssue[] = [];
  for (const resource of catalogue.all) {
    const { broken } = resourceTyping(resource);
    if (broken === undefined) continue;
    issues.push({
      code: IssueCode.RESOURCE_SCHEMA,
      severity: used.has(resource) ? "error" : "warning",
      message: `The schema of ${resource.kind} ${valueText(resource.id, 130)} cannot be read: ${broken}.`,
      resource_id: resource.id,
    });
  }
  return issues;
}

const fine: readonly PlanIssue[] = [];

/** Checks that the task's resource exists. Without a catalogue nothing can be checked, so there are no issues. */
export function checkResource(task: number, facts: PlanFacts, repairs: Repairs): readonly PlanIssue[] {
  const { catalogue } = facts;
  if (!catalogue) return fine;
  const { task_id } = facts.tasks[task]!;
  const { kind, uid } = facts.pins[task]!;
  if (kind === undefined) return [undecided(task_id, uid, catalogue)].filter((issue) => issue !== undefined);
  if (uid === undefined) return catalogue.ofKind(kind).length > 0 ? [] : [noResource(task_id, kind)];
  const typing = facts.typings[task];
  if (typing === undefined) return [unknownResource(task_id, kind, uid, catalogue, repairs)];
  if (typing.broken === undefined) return fine;
  return [
    {
      code: IssueCode.RESOURCE_SCHEMA,
      severity: "error",
      message: `Task ${valueText(task_id, 130)} uses ${kindRecord(kind).name} ${valueText(uid, 130)}, whose schema cannot be read: ${typing.broken}.`,
      task_id,
      resource_id: typing.resource.id,
    },
  ];
}

function unknownResource(
  task_id: string,
  kind: ExecutionKind,
  uid: string,
  catalogue: ResourceCatalogue,
  repairs: Repairs,
): PlanIssue {
  const { unknownCode: code, name, label, pin } = kindRecord(kind);
  const known = catalogue.ofKind(kind);
  const near = repairs.spend(known.length)
    ? nearestNames(
        uid,
        known.map((resource) => resource.id),
      )
    : { names: known.slice(0, 10).map((resource) => resource.id), score: 0 };
  const [other] = catalogue.kindsOf(uid);
  const shown = /^[\w./:-]{1,130}$/.test(uid) ? uid : valueText(uid, 130);
  const hint = other
    ? `; it is of kind "${other}"`
    : near.likely
      ? `; did you mean ${valueText(near.likely, 130)}?`
      : near.names.length > 0
        ? `; known are ${listText(near.names)}`
        : `; no ${name} is known`;
  return {
    code,
    severity: "error",
    message: `${label} not available: ${shown} (task ${valueText(task_id, 130)})${hint}${hint.endsWith("?") ? "" : "."}`,
    task_id,
    argument_path: pin.field,
    resource_id: uid,
    actual: uid,
    ...(near.names.length > 0 && { repair: { operation: "replace", candidates: near.names } }),
  };
}

function noResource(task_id: string, kind: ExecutionKind): PlanIssue {
  return {
    code: IssueCode.NO_RESOURCE,
    severity: "error",
    message: `Task ${valueText(task_id, 130)} needs a resource of kind "${kind}", but none is registered.`,
    task_id,
    argument_path: "execution_type",
    expected: kind,
  };
}

/** The run can decide the kind of an open task only by a pin that one kind alone knows. */
function undecided(task_id: string, uid: string | undefined, catalogue: ResourceCatalogue): PlanIssue | undefined {
  const kinds = uid === undefined ? [] : catalogue.kindsOf(uid);
  if (kinds.length === 1) return undefined;
  return {
    code: IssueCode.NO_RESOURCE,
    severity: "warning",
    message: `Task ${valueText(task_id, 130)} does not say who executes it: \`execution_type\` and \`parameters.sub_type\` are both open.`,
    task_id,
    argument_path: "execution_type",
    repair: { operation: "replace", candidates: executionKinds },
  };
}

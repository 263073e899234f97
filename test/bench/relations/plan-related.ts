import { type EmbeddedPlan, planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import type { Step } from "../plans-data.ts";
import { toResources, toSteps } from "../plans-predict.ts";
import type { PlannedCall, RelatedCase, RelatedTool, SaidValue } from "./relation.ts";

const clock = { now: "2026-11-18T10:00:00+01:00", timeZone: "Europe/Berlin" };
/** Plans below say too little of what the planner understands to be compared. */
const minConfidence = 0.5;

const indexed = new WeakMap<readonly RelatedTool[], readonly Resource[]>();

function resourcesOf(tools: readonly RelatedTool[]): readonly Resource[] {
  const known = indexed.get(tools);
  if (known !== undefined) return known;
  const made = toResources(tools);
  indexed.set(tools, made);
  return made;
}

/** The calls that are planned for a goal. */
export function callsFor(query: string, tools: readonly RelatedTool[]): PlannedCall[] {
  return toCalls(toSteps(planGoal(query, resourcesOf(tools), clock).plan.planned_tasks));
}

/** The goal with its plan, if that leaves nothing open and is likely right. */
export function caseOf(id: string, query: string, tools: readonly RelatedTool[]): RelatedCase | undefined {
  const planned = planGoal(query, resourcesOf(tools), clock);
  const { planned_tasks, metadata } = planned.plan;
  const isSure = planned.unresolved.length === 0 && Number(metadata?.confidence ?? 0) >= minConfidence;
  if (
    !isSure ||
    planned_tasks.length === 0 ||
    planned_tasks.some((task) => task.wait !== undefined || task.when !== undefined)
  )
    return undefined;
  return { id, query, tools, calls: toCalls(toSteps(planned_tasks)), values: valuesOf(query, planned) };
}

/** Steps with references by the tool that is referred to, so that plans of several orders compare. */
function toCalls(steps: readonly Step[]): PlannedCall[] {
  const value = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(value);
    if (part === null || typeof part !== "object") return part;
    if ("$ref" in part) {
      const { step, path } = part.$ref as { readonly step: number; readonly path: string };
      return `\${${steps[step]?.tool ?? "?"}.${path}}`;
    }
    return Object.fromEntries(Object.entries(part).map(([key, each]) => [key, value(each)]));
  };
  return steps.map(({ tool, args }) => ({ tool, args: value(args) as PlannedCall["args"] }));
}

function valuesOf(query: string, { plan }: EmbeddedPlan): SaidValue[] {
  const provenance = (plan.metadata?.provenance ?? {}) as Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly source: string; readonly text?: string; readonly start?: number }>>
    >
  >;
  return plan.planned_tasks.flatMap(({ task_id = "" }, call) =>
    Object.entries(provenance[task_id] ?? {}).flatMap(([argument, { source, text, start }]) =>
      source === "goal" && text !== undefined && start !== undefined && query.startsWith(text, start)
        ? [{ call, argument, start, text }]
        : [],
    ),
  );
}

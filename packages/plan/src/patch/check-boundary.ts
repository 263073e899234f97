import { IssueCode, type PlanIssue } from "../issue.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";

/**
 * What comes in: new tasks wait for all that the replaced ones waited for, and take nothing from elsewhere. What goes out:
 * a replaced task whose output is read has a task that gives it. Each edge of the new plan is looked at once.
 */
export function checkBoundary(facts: PatchFacts, options: { readonly inputs?: "upstream" | "any" }): PlanIssue[] {
  const { base, removed, renewed, added } = facts;
  const issues: PlanIssue[] = [];
  const report = (task_id: string, message: string, from_task_id?: string): void => {
    const code = IssueCode.PATCH_BOUNDARY;
    issues.push({ code, severity: "error", message, task_id, ...(from_task_id !== undefined && { from_task_id }) });
  };
  const mayRead = (id: string): boolean => {
    const task = base.index.get(id);
    if (task === undefined || removed.has(task) || renewed.has(task)) return false;
    return options.inputs === "any" ? facts.downstream[task] === 0 : facts.upstream[task] === 1;
  };
  for (const [id, dependencies] of facts.dependencies) {
    for (const source of dependencies) {
      if (added.has(source) || mayRead(source)) continue;
      report(
        id,
        `New task ${valueText(id, 130)} uses the output of ${valueText(source, 130)}, but no task that it replaces depended on it.`,
        source,
      );
    }
  }
  for (const [task, replacement] of removed) {
    const { task_id, replaced_by, output_from } = replacement;
    const id = valueText(task_id, 130);
    const consumer = outsideConsumer(task, facts);
    if (output_from === null) {
      const named = Object.entries(base.plan.outputs ?? {}).find(([, output]) => output === task_id)?.[0];
      if (named !== undefined) {
        report(
          task_id,
          `The output of ${id} is the plan's output ${valueText(named, 130)}, and no task gives it after the patch: set \`output_from\`.`,
        );
      }
      if (consumer !== undefined) {
        report(
          task_id,
          `The output of ${id} is read by ${valueText(consumer, 130)}, and no task gives it after the patch: set \`output_from\`.`,
        );
      }
    } else if (!(added.has(output_from) ? replaced_by.includes(output_from) : mayRead(output_from))) {
      report(
        task_id,
        `Expected \`output_from\` of ${id} to be one of its new tasks or a task it came after, got ${valueText(output_from)}.`,
      );
    }
    const members = new Set(replaced_by);
    for (const entry of facts.entries(replacement)) {
      const own = facts.dependencies.get(entry);
      for (let edge = base.all.inPtr[task]!; edge < base.all.inPtr[task + 1]!; edge++) {
        const missing = facts
          .after(base.all.in[edge]!)
          .find((source) => !own?.has(source) && source !== entry && !members.has(source));
        if (missing === undefined) continue;
        report(
          entry,
          `New task ${valueText(entry, 130)} must wait for ${valueText(missing, 130)}, as ${id} did.`,
          missing,
        );
        break;
      }
    }
  }
  return issues;
}

/** A task outside the region that reads the output, if there is one. */
function outsideConsumer(task: number, { base, removed }: PatchFacts): string | undefined {
  for (let edge = base.referred.outPtr[task]!; edge < base.referred.outPtr[task + 1]!; edge++) {
    const consumer = base.referred.out[edge]!;
    if (!removed.has(consumer)) return base.tasks[consumer]!.task_id;
  }
  return undefined;
}

import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { fromLabels } from "../partition.ts";
import { readCandidate } from "../repair/read-candidate.ts";
import type { RepairStep } from "../repair/repair-step.ts";
import { verify } from "../verify.ts";

/** Describes to a model what is wrong with its groups: everything that repair would have to change, cycles with their witness. */
export function judgeGroups(view: PlanView, environment: ExecutionEnvironment, groups: unknown): string[] {
  const steps: RepairStep[] = [];
  const { labels } = readCandidate(view, groups, steps);
  const shape = steps.map(({ message, tasks }) => (tasks.length === 0 ? message : `${message} (${tasks.join(", ")})`));
  const violations = verify(view, environment, fromLabels(labels)).map((violation) =>
    violation.code === "cycle"
      ? `Groups wait for one another: ${violation.witness.map(({ from, to }) => `${to} needs ${from}`).join(", and in the next group ")}.`
      : violation.message,
  );
  return [...shape, ...violations];
}

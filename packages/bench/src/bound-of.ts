import { type ExecutionEnvironment, lowerBounds } from "@planloom/optimizer";
import type { PlanView } from "@planloom/plan";

/** The best proved bound in this environment, with what proves it. */
export function boundOf(
  view: PlanView,
  environment: ExecutionEnvironment,
): { ms: number; by: string; witness: string } {
  const { name, ms, witness } = lowerBounds(view, environment).best;
  return { ms, by: name, witness };
}

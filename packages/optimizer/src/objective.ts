import type { PlanView } from "@planloom/plan";
import type { Candidate } from "./candidate.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { expectedRework, totalTokens } from "./metrics.ts";
import { quotient } from "./quotient.ts";

/** What counts besides the makespan, in milliseconds of makespan each. All 0: the makespan alone. */
export interface ObjectiveWeights {
  /** Milliseconds that one prompt token is worth. @default 0 */
  readonly perToken?: number;
  /** Milliseconds that one byte sent between subgraphs is worth. @default 0 */
  readonly perCutByte?: number;
  /** Milliseconds that one millisecond of expected rework is worth. @default 0 */
  readonly perReworkMs?: number;
}

/** `makespan + perToken · tokens + perCutByte · bytes + perReworkMs · expected rework`. O(n + m). */
export function objectiveOf(
  view: PlanView,
  environment: ExecutionEnvironment,
  { partition, metrics }: Candidate,
  { perToken = 0, perCutByte = 0, perReworkMs = 0 }: ObjectiveWeights = {},
): number {
  const tokens = perToken === 0 ? 0 : perToken * totalTokens(view, environment, partition);
  const rework =
    perReworkMs === 0 ? 0 : perReworkMs * expectedRework(view, environment, partition, quotient(view, partition));
  return metrics.makespanMs + tokens + perCutByte * metrics.cutBytes + rework;
}

import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";

/** Fewer parts than this no valid partition has, and why. O(n). */
export function leastParts(view: PlanView, environment: ExecutionEnvironment): { count: number; why: string } {
  const unlimited = Number.POSITIVE_INFINITY;
  const {
    contextTokens = unlimited,
    memoryBytes = unlimited,
    baseTokens = 0,
    maxTasks = unlimited,
    affinity,
  } = environment;
  let best = { count: view.n === 0 ? 0 : 1, why: "at least one" };
  const offer = (count: number, why: string) => {
    if (count > best.count) best = { count, why };
  };
  if (contextTokens > baseTokens) {
    let tokens = 0;
    for (const own of view.tokens) tokens += own;
    offer(Math.ceil(tokens / (contextTokens - baseTokens)), "the context budget");
  }
  if (memoryBytes !== unlimited) {
    let bytes = 0;
    for (const own of view.outBytes) bytes += own;
    offer(Math.ceil(bytes / memoryBytes), "the memory of a dispatch");
  }
  offer(Math.ceil(view.n / maxTasks), "tasks a part");
  if (affinity === "hard") offer(new Set(view.affinity).size, "hard affinity");
  return best;
}

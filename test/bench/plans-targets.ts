import type { Measure } from "./plans-score.ts";

/** What is aimed at, in per cent, by set. */
export const targets: ReadonlyMap<string, Partial<Readonly<Record<Measure, number>>>> = new Map([
  ["taskbench-dailylife", { nodeF1: 92, edgeF1: 72, argNameF1: 88, argValueF1: 58 }],
  ["taskbench-huggingface", { nodeF1: 68, edgeF1: 36, argNameF1: 60, argValueF1: 45 }],
  ["nestools", { nodeF1: 75, edgeF1: 40, argNameF1: 70, argValueF1: 55, refPathF1: 50, exactPlan: 15 }],
  ["nestful", { nodeF1: 88, edgeF1: 50, argNameF1: 80, argValueF1: 50, refPathF1: 45, exactPlan: 12 }],
  ["sealtools", { nodeF1: 95, argNameF1: 90, argValueF1: 60, exactPlan: 30 }],
  ["bfcl", { nodeF1: 99, argNameF1: 92, argValueF1: 75, exactPlan: 50 }],
  ["toolalpaca", { nodeF1: 82, argNameF1: 72, argValueF1: 42, exactPlan: 25 }],
  ["restbench", { nodeF1: 60, edgeF1: 25 }],
  ["metatool", { nodeF1: 70, exactTools: 62 }],
]);

// Stage 1, Stage 2 and the replanner: everything of `@planloom/planner`.
export * from "@planloom/planner";

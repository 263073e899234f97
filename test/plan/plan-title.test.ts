import { planTitle, TaskData } from "@planloom/plan";
import { expect, test } from "vitest";

const planned = (more: object) => planTitle(TaskData.parse({ task_id: "p-1", planned_tasks: [], ...more }));

test.for([
  ["its title", { title: "Move", original_job_data: { job_goal: "Move it" } }, "Move"],
  ["its goal", { original_job_data: { job_goal: " Move it " } }, "Move it"],
  ["what another planner called the goal", { original_job_data: { task_description: "Move it" } }, "Move it"],
  ["a goal of several fields", { original_job_data: { job_goal: { what: "boat" } } }, '{"what":"boat"}'],
  ["its id", {}, "p-1"],
  ["its id where title and goal are blank", { title: " ", original_job_data: { job_goal: "" } }, "p-1"],
] as const)("a plan is called by %s", ([, more, title]) => {
  expect(planned(more)).toBe(title);
});

test("a long goal is cut between characters, and says so", () => {
  const title = planned({ original_job_data: { job_goal: "🚢".repeat(500) } });
  expect(title).toBe(`${"🚢".repeat(199)}…`);
  expect(planned({ original_job_data: { job_goal: "🚢".repeat(200) } })).toBe("🚢".repeat(200));
});

import { collectReferences, TaskData, type TaskDataInput, validatePlan } from "@planloom/plan";
import { answerTask } from "planloom";
import { describe, expect, test } from "vitest";

const plan = (fields: TaskDataInput) => TaskData.parse(fields);
const tasks: TaskDataInput["planned_tasks"] = [
  { task_id: "a", execution_type: "tool", tool_id: "t", title: "First" },
  { task_id: "b", execution_type: "tool", tool_id: "t", arguments: { x: "${a.items}" } },
  { task_id: "c d", execution_type: "tool", tool_id: "t" },
];

describe("answerTask", () => {
  test("answers the goal from the sinks' outputs", () => {
    const before = plan({ planned_tasks: tasks, original_job_data: { job_goal: "What is ${due}?" } });
    const copy = structuredClone(before);
    const answered = answerTask(before);
    const task = answered.planned_tasks.at(-1);
    expect(task).toMatchObject({
      task_id: "answer",
      main_task_id: before.task_id,
      execution_type: "llm",
      dependencies: ["b", "c d"],
      arguments: { prompt: "Goal: What is $${due}?", outputs: [{ output: "${b}" }, { output: '${["c d"]}' }] },
      instructions: expect.stringContaining("data"),
    });
    expect(collectReferences(task?.arguments).map(({ reference }) => reference.name)).toEqual(["b", "c d"]);
    expect(validatePlan(answered)).toEqual([]);
    expect(before).toEqual(copy);
  });

  test("takes a name that is free", () => {
    const taken = plan({
      planned_tasks: [{ task_id: "answer" }, { task_id: "x", result_variable: "answer_2" }],
      variables: { answer_3: 1 },
    });
    expect(answerTask(taken).planned_tasks.at(-1)?.task_id).toBe("answer_4");
  });

  test("names the llm that is given", () => {
    expect(answerTask(plan({ planned_tasks: tasks }), { uid: "big" }).planned_tasks.at(-1)?.parameters).toEqual({
      uid: "big",
    });
  });

  test("has nothing to answer from an empty plan", () => {
    const empty = plan({});
    expect(answerTask(empty)).toBe(empty);
  });
});

import { defineTool, Planloom, PlannerErrorCode, type PlanQuestion, type TaskData } from "planloom";
import { expect, test } from "vitest";

const text = (description = "") => ({ type: "string", description }) as const;
const tool = (
  id: string,
  description: string,
  properties: Record<string, object>,
  output?: Record<string, unknown>,
  required = Object.keys(properties),
) =>
  defineTool({
    id,
    description,
    readOnly: id.includes("find") || id.includes("look"),
    input: { type: "object", properties, required, additionalProperties: false },
    ...(output !== undefined && { output }),
    execute: () => ({ herb_id: "h1" }),
  });
const found = { type: "object", properties: { herb_id: text() }, required: ["herb_id"], additionalProperties: false };
/** A herb garden. */
const planloom = new Planloom({
  tools: [
    tool("garden/find_herb", "Find a herb by its name", { name: text("Name of the herb") }, found),
    tool(
      "garden/look_up_bed",
      "Look up a bed",
      { name: text(), bed: { type: "integer" } },
      { type: "object", properties: {}, additionalProperties: false },
    ),
    tool("garden/water_herb", "Water a herb", { herb_id: text("Identifier of the herb"), liters: { type: "number" } }),
    tool("garden/prune_herb", "Prune a herb", {
      herb_id: text("Identifier of the herb"),
      on: { type: "string", format: "date" },
    }),
    tool("garden/rotate_beds", "Rotate the beds", { access_token: text() }),
  ],
  now: "2026-11-22T10:00:00Z",
  timeZone: "Europe/Berlin",
});
const planned = (): TaskData =>
  planloom.answer(
    {
      planned_tasks: [
        { task_id: "find", execution_type: "tool", tool_id: "garden/find_herb", arguments: { name: "sage" } },
        {
          task_id: "water",
          execution_type: "tool",
          tool_id: "garden/water_herb",
          arguments: { herb_id: "${find.herb_id}", liters: 2 },
        },
      ],
      task_input_data: { goal: "Find the herb sage and water it with 2 liters tomorrow" },
      metadata: {
        confidence: 0.7,
        proposal: true,
        choices: {
          water: {
            text: "water it with 2 liters tomorrow",
            score: 1,
            alternatives: [{ tool: "garden/prune_herb", score: 0.4 }, { tool: "garden/find_herb" }],
          },
        },
        provenance: { water: { liters: { source: "goal", text: "2 liters", likelihood: 0.9 } } },
        issues: [{ code: "unresolved", severity: "warning", message: "about watering", task_id: "water" }],
      },
    } as unknown as TaskData,
    {},
  );
const questionsOf = ({ metadata }: TaskData) => (metadata?.questions ?? []) as readonly PlanQuestion[];
const coded = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    return error as { code: string; message: string; details: Record<string, unknown> };
  }
  throw new Error("Nothing was thrown.");
};

test("another tool takes a task's place: words are read anew, what fits stays, what is open is asked, the rest is as it was", () => {
  const before = planned();
  const untouched = structuredClone(before);
  const plan = planloom.choose(before, { water: "prune_herb" });
  const [find, water] = plan.planned_tasks;
  expect(find).toEqual(before.planned_tasks[0]);
  expect(water).toMatchObject({
    task_id: "water",
    tool_id: "garden/prune_herb",
    arguments: { herb_id: "${find.herb_id}", on: "2026-11-23" },
    dependencies: before.planned_tasks[1]?.dependencies,
  });
  expect(water?.arguments).not.toHaveProperty("liters");
  expect(plan.metadata).toMatchObject({
    proposal: true,
    choices: {
      water: {
        score: 0.4,
        chosen_by: "person",
        alternatives: [{ tool: "garden/water_herb", score: 1 }, { tool: "garden/find_herb" }],
      },
    },
  });
  expect(plan.metadata).not.toHaveProperty("confidence");
  expect(plan.metadata?.issues).toEqual([]);
  expect(planloom.questions(plan)).toEqual([]);
  expect(before).toEqual(untouched);

  const open = planloom.choose(before, { water: "garden/rotate_beds" });
  expect(questionsOf(open).map(({ name, secret }) => [name, secret])).toEqual([["water.access_token", true]]);
  const back = planloom.choose(open, { water: "garden__water_herb" });
  expect(back.planned_tasks[1]?.arguments).toEqual({ liters: 2 });
  expect(questionsOf(back).map(({ name }) => name)).toEqual(["water.herb_id"]);
});

test("what a person said of an argument is not read over by the words, and the choice says what was answered", () => {
  const answered = planloom.answer(planned(), { "water.liters": 5 });
  expect(answered.metadata?.choices).toMatchObject({ water: { answered: ["liters"] } });
  expect(planloom.choose(answered, { water: "water_herb" }).planned_tasks[1]?.arguments).toMatchObject({ liters: 5 });
});

test.for([
  [{ wather: "prune_herb" }, /a task of this plan \(water/, "candidates"],
  [{ water: "prune_herbs" }, /Did you mean "garden\/prune_herb"/, "candidates"],
  // The other task reads a field that this tool does not give.
  [{ find: "look_up_bed" }, /herb_id/, "issues"],
] as const)("%j is refused with what would do", ([tools, message, detail]) => {
  const error = coded(() => planloom.choose(planned(), tools));
  expect(error.code).toBe(PlannerErrorCode.CHOICE_INVALID);
  expect(error.message).toMatch(message);
  expect(error.details[detail]).not.toHaveLength(0);
});

test("a proposal that is handed in asks about its writes; other plans ask about destructive calls alone", async () => {
  const proposal = planned();
  expect((await planloom.run(proposal)).end_reason).toBe("waiting_approval");
  const { proposal: _, ...metadata } = proposal.metadata ?? {};
  expect((await planloom.run({ ...proposal, metadata })).end_reason).toBe("completed");
  expect((await planloom.run(proposal, { confirm: "destructive" })).end_reason).toBe("completed");
});

import { defineTool, memoryPlans, Planloom } from "planloom";
import { handlePlanCommand, handlePlanTool } from "planloom/plan-tools";
import { expect, test } from "vitest";

const made: unknown[] = [];
const text = { type: "string" } as const;
const planloom = new Planloom({
  tools: [
    defineTool({
      id: "loom/weave_cloth",
      description: "Weave a cloth",
      readOnly: true,
      input: {
        type: "object",
        properties: { yarn: { ...text, description: "Kind of yarn" }, meters: { type: "number" } },
        required: ["yarn", "meters"],
      },
      execute: (input) => made.push(input),
    }),
    defineTool({ id: "loom/list_yarns", description: "List the yarns", readOnly: true, execute: () => [] }),
  ],
});
const call = async (name: string, args: object) => JSON.parse(await handlePlanTool(name, args, { planloom }));

test("a plan that lacks arguments is kept by plan_create, with its questions, and run once they are answered", async () => {
  made.length = 0;
  const created = await call("plan_create", { goal: "Weave a cloth" });
  expect(created).toMatchObject({
    success: false,
    status: "questions",
    questions: [
      { name: "weave_cloth.yarn", type: "string", description: "Kind of yarn" },
      { name: "weave_cloth.meters", type: "number" },
    ],
  });
  const { plan_id } = created;
  expect(await call("plan_execute", { plan_id })).toMatchObject({ status: "questions", plan_id });
  const wrong = await call("plan_execute", { plan_id, answers: { "weave_cloth.meters": "long" } });
  expect(wrong.error).toMatch(/weave_cloth\.meters/);
  const half = await call("plan_execute", { plan_id, answers: { "weave_cloth.meters": 3 } });
  expect(half.questions).toMatchObject([{ name: "weave_cloth.yarn" }]);
  expect(made).toEqual([]);
  expect(await call("plan_execute", { plan_id, answers: { "weave_cloth.yarn": "wool" } })).toMatchObject({
    success: true,
  });
  expect(made).toEqual([{ yarn: "wool", meters: 3 }]);
  expect(await call("plan_create_and_execute", { goal: "Weave a cloth" })).toMatchObject({ status: "questions" });
});

test("/plan create keeps a draft and says what it lacks; /plan answer gives it", async () => {
  made.length = 0;
  const plans = memoryPlans();
  const say = (line: string) => handlePlanCommand(line, { planloom, plans });
  const { text: created } = await say("create Weave a cloth");
  expect(created).toContain("weave_cloth.yarn (string): Kind of yarn");
  const [, id = ""] = /^Plan (\S+)/.exec(created) ?? [];
  expect(created).toContain(`/plan answer ${id} weave_cloth.yarn=`);
  await expect(say(`answer ${id}`)).rejects.toThrow(/Usage: \/plan answer/);
  const { text: answered } = await say(`answer ${id} weave_cloth.yarn=soft lambs wool weave_cloth.meters=2`);
  expect(answered).not.toContain("It lacks");
  expect((await say(`run ${id}`)).run?.end_reason).toBe("completed");
  expect(made).toEqual([{ yarn: "soft lambs wool", meters: 2 }]);
});

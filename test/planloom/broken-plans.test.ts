import { type ChatStep, chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { defineTool, openaiModel, Planloom } from "planloom";
import { expect, onTestFinished, test } from "vitest";

const cities = Array.from({ length: 150 }, (_, index) => `Town${index}`);
const weather = defineTool({
  id: "weather",
  description: "Weather of towns",
  input: { type: "object", properties: { towns: { type: "array", items: { type: "string" } } }, required: ["towns"] },
  execute: () => 1,
});
const task = (index: number, towns: readonly string[]) => {
  return { task_id: `t${index}`, for: "weather", tool_id: "weather", arguments: { towns } };
};
const goal = "Weather of the towns";

async function planned(tasks: readonly object[], steps: (plan: object) => readonly ChatStep[]) {
  const server = await startChatServer(steps({ tasks }));
  onTestFinished(() => server.close());
  const model = openaiModel({ baseURL: server.baseURL, model: "m", environment: {}, retryDelayMs: 1 });
  const planloom = new Planloom({ model, tools: [weather] });
  onTestFinished(() => planloom.close());
  const stream = planloom.planStream(goal);
  const seen: string[] = [];
  for await (const { task } of stream) seen.push(task.task_id);
  return { seen, server, plan: await stream.plan };
}

test("a plan whose answer broke off is seen whole, each task once, when it is written again", async () => {
  const tasks = [0, 1, 2, 3].map((index) => task(index, [`Town${index}`]));
  const { seen, plan } = await planned(tasks, (answer) => [
    chatBehaviours.drops(JSON.stringify(answer), "middle"),
    chatBehaviours.answers(answer),
  ]);
  expect(plan.planned_tasks).toHaveLength(4);
  expect(seen).toEqual(["t0", "t1", "t2", "t3"]);
});

test("an answer that is written again is not taken for one that runs away", async () => {
  const tasks = Array.from({ length: 12 }, (_, index) => index).map((index) => task(index, [...cities, `${index}`]));
  const { server, plan } = await planned(tasks, (answer) => [
    chatBehaviours.drops(JSON.stringify(answer), "middle"),
    chatBehaviours.answers(answer),
  ]);
  expect(server.requests).toHaveLength(2);
  expect(plan.planned_tasks).toHaveLength(12);
});

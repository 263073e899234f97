import { LlmController } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import type { JsonSchema, Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";

const text = { type: "string" } as const;
const number = { type: "number" } as const;
const tool = (id: string, takes: Record<string, JsonSchema>, gives: Record<string, JsonSchema>): Resource => ({
  kind: "tool",
  id,
  description: `It does ${id.replaceAll("_", " ")}.`,
  input_schema: { type: "object", properties: takes, required: Object.keys(takes) },
  output_schema: { type: "object", properties: gives },
});
const resources = [
  tool("harvest_yield", { trees: number, kilos: number }, { weight: number }),
  tool("press_juice", { amount: number, trees: number }, { juice: number }),
  tool("lift", { load: number, weight: number }, { juice: number }),
  tool("summarize", { text }, { text }),
  tool("draw", { text, picture: text }, { drawn_picture: text }),
  tool("frame", { image: text }, {}),
];

async function argumentsOf(goal: string, ...calls: readonly [tool: string, words: string, given: object][]) {
  const tasks = calls.map(([tool_id, words, given], at) => {
    return { task_id: `t${at + 1}`, for: words, tool_id, arguments: given };
  });
  const model = scriptedModel(Array.from({ length: 3 }, () => JSON.stringify({ tasks })));
  const planner = new Planner({ controller: new LlmController({ model }), resources });
  return (await planner.createPlan(goal)).planned_tasks.map((each) => each.arguments);
}

const harvest = "Find the harvest of 30 trees with 40 kilos each";
const press = ["press_juice", "press the weight of the harvest of these trees"] as const;

test("what the request says for an earlier task alone is read from what the words of the later one name", async () => {
  const goal = `${harvest}, then press the weight of the harvest of these trees`;
  const first = ["harvest_yield", harvest, { trees: 30, kilos: 40 }] as const;
  expect((await argumentsOf(goal, [...first], [...press, { amount: 40, trees: 30 }]))[1]).toEqual({
    amount: "${t1.weight}",
    trees: 30,
  });
  // It is said here too, or under the same name.
  const said = ["press_juice", "press 40 kilos and not the weight", { amount: 40, trees: 30 }] as const;
  expect((await argumentsOf(goal, [...first], [...said]))[1]).toMatchObject({ amount: 40 });
  // What the words name is another argument of the call; a reference that two calls have is none of these values.
  const lift = ["lift", "lift its weight of 7", { load: 40, weight: 7 }] as const;
  expect((await argumentsOf(goal, [...first], [...lift]))[1]).toEqual({ load: 40, weight: 7 });
  const twice = { load: "${t1.weight}", weight: 7 };
  const [, once, again] = await argumentsOf(
    goal,
    [...first],
    ["lift", "lift the harvest of 7", twice],
    ["press_juice", "press it with 30 trees for the juice", { amount: "${t1.weight}", trees: 30 }],
  );
  expect([once?.load, again?.amount]).toEqual(["${t1.weight}", "${t1.weight}"]);
});

test("the whole request is no text of a later task, where an earlier one gives one", async () => {
  const goal = "Summarize this long story of a small harbour and draw the summary of the story into sea.png";
  const calls = (story: string) =>
    argumentsOf(
      goal,
      ["summarize", "summarize this story", { text: story }],
      ["draw", "draw the summary", { text: story, picture: "sea.png" }],
    );
  expect((await calls(goal))[1]).toEqual({ text: "${t1.text}", picture: "sea.png" });
  expect((await calls("small harbour"))[1]).toEqual({ text: "small harbour", picture: "sea.png" });
});

test("a text that says what is meant, in other forms of its words, is read from there", async () => {
  const goal = "Draw a boat on sea.png and frame it";
  const [, frame] = await argumentsOf(
    goal,
    ["draw", "Draw a boat on sea.png", { text: "a boat", picture: "sea.png" }],
    ["frame", "frame it", { image: "link to the drawn picture" }],
  );
  expect(frame).toEqual({ image: "${t1.drawn_picture}" });
});

test("a text that the request says once is the argument's that it names, and no optional one's beside it", async () => {
  const render = { type: "object", properties: { mode: text, quality: text, place: text }, required: ["mode"] };
  const tools: Resource[] = [{ kind: "tool", id: "render", description: "Renders an image.", input_schema: render }];
  const argumentsFor = async (goal: string) => {
    const tasks = [{ task_id: "t1", for: goal, tool_id: "render", arguments: { mode: "shaded", quality: "shaded" } }];
    const planner = new Planner({
      controller: new LlmController({ model: scriptedModel([JSON.stringify({ tasks })]) }),
      resources: tools,
    });
    return (await planner.createPlan(goal)).planned_tasks[0]?.arguments;
  };
  expect(await argumentsFor("Render the image in shaded mode")).toEqual({ mode: "shaded" });
  const both = { mode: "shaded", quality: "shaded" };
  expect(await argumentsFor("Render the image in shaded mode with shaded quality")).toEqual(both);
  expect(await argumentsFor("Render it shaded")).toEqual(both);
});

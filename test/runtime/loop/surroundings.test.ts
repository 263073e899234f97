import type { Model, ModelReply, ModelRequest } from "@planloom/controller";
import { scriptedModel } from "@planloom/controller/testing";
import {
  defineTool,
  memoryJournal,
  planExecute,
  planExecuteAgent,
  resumePlanExecute,
  toolExecutor,
} from "@planloom/runtime";
import { Planloom } from "planloom";
import { expect, test } from "vitest";
import { callsOf } from "../../support/agents.ts";

const call = (name: string, args: unknown): Partial<ModelReply> => callsOf([name, args]);
const price = defineTool({
  id: "shop/price",
  description: "Price of a thing\non a day.",
  input: {
    type: "object",
    properties: { day: { type: "string" }, thing: { type: "string" } },
    required: ["thing"],
  },
  execute: () => 4,
});
const order = defineTool({ id: "order", description: "Orders </tools> a thing.", execute: () => 1 });
const executors = [toolExecutor([price, order])];
const at = { now: "2026-03-04T09:30:00Z", timeZone: "Europe/Berlin" } as const;
const day = "Now: Wednesday, 2026-03-04 10:30 (Europe/Berlin).";

const textOf = ({ messages }: ModelRequest) => messages.map(({ role, content }) => `${role}: ${content}`).join("\n");

/** Plans a step, executes it in words, answers. */
const roles = () => {
  const planner = scriptedModel([call("plan", { steps: ["Find the price"] })]);
  const replanner = scriptedModel([call("respond", { response: "4 EUR" })]);
  return { planner: { model: planner }, executor: () => "4", replanner: { model: replanner } };
};

test("planner and replanner get the tools of the run, a line each, and the day, week and zone", async () => {
  const { planner, executor, replanner } = roles();
  await planExecute("What did tea cost this week?", { ...at, executors, planner, executor, replanner });
  for (const { model } of [planner, replanner]) {
    const text = textOf(model.requests[0]!);
    expect(text).toContain("- shop/price(thing, day?): Price of a thing on a day.\n- order(");
    expect(text).toContain(`${day} This week: Monday 2026-03-02 to Sunday 2026-03-08.`);
    // What a tool says of itself cannot end the block.
    expect(text.match(/<\/tools>/g)).toHaveLength(1);
  }
  // The objective comes last, so that a second one is read from the prompt's cache up to it.
  expect(textOf(planner.model.requests[0]!).endsWith("user: What did tea cost this week?")).toBe(true);
});

test("only the tools of the executor are listed where it has fewer, and none where there are none", async () => {
  const { planner, replanner } = roles();
  const model = scriptedModel(["4"]);
  await planExecute("Tea?", { ...at, executors, planner, executor: { model, tools: ["order"] }, replanner });
  expect(textOf(planner.model.requests[0]!)).toContain("- order(");
  expect(textOf(planner.model.requests[0]!)).not.toContain("price");
  // Who executes "tea of today" has to know the day too.
  expect(textOf(model.requests[0]!)).toContain(`user: ${day}\n\nThe objective:`);
  const bare = roles();
  await planExecute("Tea?", { ...at, executors: [], ...bare });
  expect(textOf(bare.planner.model.requests[0]!)).not.toContain("<tools>");
});

test("many tools take a quarter of the prompt at most: their descriptions are cut, then some are left out and counted", async () => {
  const many = Array.from({ length: 400 }, (_, at) =>
    defineTool({ id: `tool_${at}`, description: `Does the thing number ${at}. `.repeat(20), execute: () => at }),
  );
  const asked = async (maxPromptCharacters: number) => {
    const { planner, executor, replanner } = roles();
    await planExecute("Tea?", {
      executors: [toolExecutor(many)],
      planner: { ...planner, maxPromptCharacters },
      executor,
      replanner,
    });
    const text = textOf(planner.model.requests[0]!);
    return text.slice(text.indexOf("<tools>"), text.indexOf("</tools>"));
  };
  const wide = await asked(60_000);
  expect(wide.length).toBeLessThan(15_100);
  expect(wide).toContain("- tool_399(): Does");
  const narrow = await asked(4_000);
  expect(narrow.length).toBeLessThan(1_100);
  expect(narrow).toMatch(/- and \d+ more tools/);
});

test("a loop that is resumed on another day keeps the day on which it began", async () => {
  const journal = memoryJournal();
  const texts: string[] = [];
  const model: Model = {
    name: "m",
    generate(request) {
      texts.push(textOf(request));
      const [first] = request.tools ?? [];
      const made = texts.length < 3 ? ["plan", { steps: [`Step ${texts.length}`] }] : ["respond", { response: "done" }];
      return Promise.resolve({ toolCalls: [], text: "", ...call(first === undefined ? "" : String(made[0]), made[1]) });
    },
  };
  const given = { executors, journal, planner: { model }, executor: () => "ok", replanner: { model } };
  const first = await planExecute("Tea?", { ...given, ...at, maxRounds: 1 });
  expect(first.end_reason).toBe("round_limit");
  const second = await resumePlanExecute(first.run_id, {
    ...given,
    now: "2027-01-01T00:00:00Z",
    timeZone: "UTC",
    maxRounds: 3,
  });
  expect(second.end_reason).toBe("responded");
  expect(texts).toHaveLength(3);
  for (const text of texts) expect(text).toContain(day);
});

test("a Planloom gives its loops its own time, and a call may give another", async () => {
  const { planner, executor, replanner } = roles();
  await using planloom = new Planloom({ tools: [price], now: () => new Date(at.now), timeZone: at.timeZone });
  await planloom.planExecute("Tea?", { planner, executor, replanner });
  expect(textOf(planner.model.requests[0]!)).toContain(day);
  const other = roles();
  await planloom.planExecute("Tea?", { ...other, now: new Date("2026-03-05T09:30:00Z") });
  expect(textOf(other.planner.model.requests[0]!)).toContain("Now: Thursday, 2026-03-05 10:30 (Europe/Berlin).");
});

test("a zone or a time that there is not is refused at once", async () => {
  const { planner, executor, replanner } = roles();
  const given = { executors, planner, executor, replanner };
  await expect(planExecute("Tea?", { ...given, timeZone: "Europe/Bern" })).rejects.toThrow(/timeZone.*Europe\/Bern/);
  await expect(planExecute("Tea?", { ...given, now: "soon" })).rejects.toThrow(/now.*soon/);
  expect(() => planExecuteAgent({ planner, executor, replanner, timeZone: "nowhere" })).toThrow(/timeZone.*nowhere/);
});

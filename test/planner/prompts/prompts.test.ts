import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LlmController, type ModelRequest } from "@planloom/controller";
import { Planner } from "@planloom/planner";
import { expect, test } from "vitest";
import { promptPages } from "./pages.ts";
import { shopOf } from "./shop.ts";
import { flowGoal, planPrompt, promptTexts } from "./texts.ts";

test("docs/prompts shows what is sent (pnpm prompts writes it)", async () => {
  for (const [name, text] of await promptPages()) {
    const file = fileURLToPath(new URL(`../../../docs/prompts/${name}`, import.meta.url));
    expect(readFileSync(file, "utf8"), name).toBe(text);
  }
});

test.for([
  { tools: 5, budget: 750 },
  { tools: 50, budget: 1_500 },
  { tools: 300, budget: 2_000 },
])("a plan with $tools tools is asked for in at most $budget tokens", async ({ tools, budget }) => {
  expect((await planPrompt(tools)).tokens).toBeLessThanOrEqual(budget);
});

test("a goal that speaks of lists and conditions costs at most 150 tokens more", async () => {
  const plain = await planPrompt(5);
  const flow = await planPrompt(5, flowGoal);
  expect(flow.tokens - plain.tokens).toBeLessThanOrEqual(150);
  expect(JSON.stringify(plain.request.schema)).not.toContain('"each"');
  expect(JSON.stringify(flow.request.schema)).toContain('"each"');
});

test.for(["Create an invoice for each order of Ada", "List the orders of Ada, then mail her", flowGoal])(
  "what only some requests need of rules follows the catalogue, which is read from the cache: %s",
  async (goal) => {
    const [plain, other] = await Promise.all(
      ["List the orders of Ada", goal].map(async (each) => (await planPrompt(5, each)).request.messages[0]!.content),
    );
    expect(plain).toContain("</resources>");
    expect(other!.startsWith(plain!)).toBe(true);
    expect(other!.length).toBeGreaterThan(plain!.length);
  },
);

test("a second goal over one catalogue shares all of the prompt but its end with the first", async () => {
  const goals = ["List the orders of Ada", "Is there a red lamp in the north?"];
  const [first, second] = await Promise.all(
    goals.map(async (goal) => (await planPrompt(5, goal)).request.messages.map(({ content }) => content).join("\n")),
  );
  expect(first!.endsWith(goals[0]!) && second!.endsWith(goals[1]!)).toBe(true);
  expect(first!.slice(0, -goals[0]!.length)).toBe(second!.slice(0, -goals[1]!.length));
});

test.for([5, 11])(
  "a tool more than %i at the end of the catalogue leaves the prompt as it is up to its own card",
  async (tools) => {
    const goal = "List the orders of Ada";
    const [before, after] = await Promise.all(
      [tools, tools + 1].map(async (count) => (await planPrompt(count, goal)).request.messages[0]!.content),
    );
    const [added] = shopOf(tools + 1).slice(-1);
    const [shared = ""] = after!.split(`"${added!.id}"`);
    expect(before!.startsWith(shared)).toBe(true);
    expect(shared).toContain(`"${shopOf(tools).at(-1)!.id}"`);
  },
);

test("a step and a replan over the tools of a plan begin as its prompt does, up to the last tool", async () => {
  const texts = new Map((await promptTexts()).map(({ name, request }) => [name, request.messages[0]!.content]));
  const [tools = "", others] = texts.get("plan")!.split("\n\nLanguage models");
  expect(tools).toContain(`"${shopOf(5).at(-1)!.id}"`);
  expect(others).toContain("Rules:");
  for (const name of ["step", "replan"]) expect(texts.get(name)!.startsWith(tools), name).toBe(true);
});

test("where the tools are chosen for a goal, the rules come first, which other goals share", async () => {
  const { content } = (await planPrompt(50)).request.messages[0]!;
  expect(content.indexOf("Rules:")).toBeLessThan(content.indexOf("## Resources"));
});

test("where not all of the tools fit, as many are described as fit, though the answer's schema makes some tools longer than more", async () => {
  const shown: number[] = [];
  const sizes: number[] = [];
  const model = {
    name: "m",
    generate: async ({ messages, schema }: ModelRequest) => {
      const texts = messages.map(({ content }) => content).join("");
      sizes.push(texts.length + JSON.stringify(schema?.schema).length);
      shown.push(new Set(texts.match(/^"\w+"[:(]/gm)).size);
      return { text: "{}", toolCalls: [] };
    },
  };
  const options = { resources: shopOf(120), maxAttempts: 3, maxPromptCharacters: 20_000 };
  const planner = new Planner({ ...options, controller: new LlmController({ model }) });
  await expect(planner.createPlan("List the orders of Ada")).rejects.toThrow("valid plan");
  // Of 60 tools each has a branch of the schema, of 65 the ids are listed. The latter take half the room.
  expect(shown.map((count) => Math.floor(count / 10) * 10)).toEqual([20, 90, 90]);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(20_000);
});

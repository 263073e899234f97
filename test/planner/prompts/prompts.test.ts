import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { promptPages } from "./pages.ts";
import { shopOf } from "./shop.ts";
import { flowGoal, planPrompt } from "./texts.ts";

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

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ChatBehaviour, type ChatRequest, startChatServer } from "@planloom/controller/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let server: Awaited<ReturnType<typeof startChatServer>>;
const cli = (...args: string[]) => {
  const model = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none", PLANLOOM_MODEL: "m" };
  return runCliHere(args, { ...home.env, ...model }, home.path);
};
const config = `
import { defineTool } from ${JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href)};
export default {
  approval: { resources: ["order"] },
  tools: [
    defineTool({ id: "stock", description: "What is in stock", readOnly: true, execute: () => ({ paper: 2 }) }),
    defineTool({ id: "order", description: "Orders paper", execute: () => "order 7 is placed" }),
  ],
};
`;
const call = (name: string, args: object): ChatBehaviour => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});

/** A model that looks at the stock, orders in the second round and answers then. */
function answer({ body }: ChatRequest): ChatBehaviour {
  const messages = body?.messages as { role: string; content: string }[];
  const tools = ((body?.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
  const said = messages.map(({ content }) => content).join("\n");
  if (tools.includes("respond"))
    return said.includes("Step: Order paper")
      ? call("respond", { response: "Paper is ordered: order 7." })
      : call("plan", { steps: ["Order paper"] });
  if (tools.includes("plan")) return call("plan", { steps: ["Look at the stock", "Order what is low"] });
  const done = messages.filter(({ role }) => role === "tool");
  if (done.length > 0) return { text: `I see ${done[0]!.content}` };
  return call(said.includes("Your step: Order paper") ? "order" : "stock", {});
}

beforeAll(async () => {
  home = await temporaryHome();
  server = await startChatServer([answer], { repeat: true });
  await writeFile(join(home.path, "planloom.config.mjs"), config);
});
afterAll(async () => {
  await server.close();
  await home.remove();
});

test("a loop shows its plan, steps and why it stopped; an approval lets it answer", async () => {
  const first = await cli("loop", "Never run out of paper", "--config", "planloom.config.mjs");
  expect(first.stderr).toBe("");
  expect(first.code).toBe(3);
  expect(first.stdout).toContain("1. Look at the stock");
  expect(first.stdout).toMatch(/Round 1\n {2}done Look at the stock\n {6}I see \{"output":\{"paper":2\}\}/);
  const [, run, id] = /planloom approve (\S+) (\S+)/.exec(first.stdout) ?? [];
  const approved = await cli("approve", run!, id!);
  expect(approved.code).toBe(0);

  const second = await cli("resume", run!);
  expect([second.code, second.stderr]).toEqual([0, ""]);
  expect(second.stdout).toContain("done (recorded) Look at the stock");
  expect(second.stdout).toContain("Paper is ordered: order 7.");
  const shown = await cli("show", run!);
  expect(shown.code).toBe(0);
  expect(shown.stdout).toContain("Paper is ordered");
});

test("--json prints the result alone; the round limit is a failure that can be resumed", async () => {
  const args = ["loop", "Never run out of paper", "--config", "planloom.config.mjs", "--max-rounds", "1", "--json"];
  const first = await cli(...args);
  expect(first.code).toBe(1);
  const result = JSON.parse(first.stdout) as { run_id: string };
  expect(result).toMatchObject({ end_reason: "round_limit", rounds: 1 });
  const second = await cli("resume", result.run_id, "--max-rounds", "3", "--json");
  expect(second.code).toBe(3);
  expect(JSON.parse(second.stdout)).toMatchObject({ end_reason: "waiting_approval", rounds: 2 });
});

test("what says how the model is asked, and what day it is, holds for a resumption too, unless another model is given", async () => {
  const args = [
    "loop",
    "Never run out of paper today",
    "--config",
    "planloom.config.mjs",
    "--max-rounds",
    "1",
    "--json",
  ];
  const clock = ["--now", "2026-03-04T09:30:00Z", "--time-zone", "Europe/Berlin"];
  const asked = async (...words: string[]) => {
    const before = server.requests.length;
    const { stdout, stderr } = await cli(...words);
    expect(stderr).toBe("");
    return {
      result: JSON.parse(stdout) as { run_id: string },
      bodies: server.requests.slice(before).map(({ body }) => body ?? {}),
    };
  };
  const first = await asked(...args, ...clock, "--temperature", "0.6", "--max-tokens", "77");
  const resumed = await asked("resume", first.result.run_id, "--max-rounds", "2", "--json");
  const planning = (body: Readonly<Record<string, unknown>>) => JSON.stringify(body.tools ?? []).includes('"plan"');
  for (const { bodies } of [first, resumed]) {
    expect(bodies.length).toBeGreaterThan(0);
    for (const body of bodies) expect(body).toMatchObject({ temperature: 0.6, max_tokens: 77 });
    for (const body of bodies.filter(planning)) {
      expect(JSON.stringify(body)).toContain("Now: Wednesday, 2026-03-04 10:30 (Europe/Berlin).");
      expect(JSON.stringify(body)).toContain("- stock(): What is in stock");
    }
  }
  const again = await asked(...args, "--temperature", "0.6");
  const other = await asked("resume", again.result.run_id, "--max-rounds", "2", "--model", "n", "--json");
  expect(other.bodies.length).toBeGreaterThan(0);
  for (const body of other.bodies) expect([body.model, body.temperature]).toEqual(["n", undefined]);
});

test.for([
  { args: ["loop", "Go"], says: "needs a model" },
  { args: ["loop"], says: "Missing required argument" },
  { args: ["loop", "Go", "--replan", "sometimes"], says: "Expected always, failure or every=N" },
  { args: ["loop", "Go", "--max-rounds", "0"], says: "at least 1" },
])("$args is refused", async ({ args, says }) => {
  const { code, stderr } = await runCliHere(args, home.env);
  expect(code).toBe(2);
  expect(stderr).toContain(says);
});

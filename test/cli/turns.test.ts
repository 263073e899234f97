import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type ChatBehaviour, type ChatRequest, startChatServer } from "@planloom/controller/testing";
import { SqliteJournal } from "planloom";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let server: Awaited<ReturnType<typeof startChatServer>>;

beforeAll(async () => {
  home = await temporaryHome();
  server = await startChatServer([answer], { repeat: true });
  const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
  await writeFile(
    join(home.path, "planloom.config.mjs"),
    `import { defineTool } from ${library};
export default { priority: 1, tools: [defineTool({ id: "stock", description: "What is in stock", readOnly: true, execute: () => 2 })] };`,
  );
  await writeFile(
    join(home.path, "plan.json"),
    JSON.stringify({ planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "stock" }] }),
  );
  await writeFile(
    join(home.path, "waits.json"),
    JSON.stringify({ planned_tasks: [{ task_id: "w", wait: { event: "paid", key: "7", timeout_ms: 3_600_000 } }] }),
  );
});
afterAll(async () => {
  await server.close();
  await home.remove();
});

/** A loop of one step, and a conversation that answers at once. */
function answer({ body }: ChatRequest): ChatBehaviour {
  const tools = ((body?.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
  const call = (name: string, args: object) => ({ toolCalls: [{ name, arguments: JSON.stringify(args) }] });
  if (tools.includes("respond")) return call("respond", { response: "Two." });
  if (tools.includes("plan")) return call("plan", { steps: ["Look"] });
  return { text: "Two." };
}

/** A command with the configuration and a model; what it printed. */
async function cli(...args: string[]): Promise<string> {
  const model = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none", PLANLOOM_MODEL: "m" };
  const own = args[0] === "signal" ? args : [...args, "--config", "planloom.config.mjs"];
  return (await runCliHere(own, { ...home.env, ...model }, home.path)).stdout;
}

/** The claim that the journal keeps of the newest run. */
async function newestClaim(): Promise<object> {
  const journal = await SqliteJournal.open(`${home.env.PLANLOOM_HOME}/journal.sqlite`);
  const [newest] = await journal.listRuns({ limit: 1 });
  const { priority, weight, deadline } = (await journal.getRun(newest!.run_id)).options;
  await journal.close();
  return { priority, weight, deadline };
}

const deadline = "2099-01-01T00:00:00Z";
const claims = ["--priority", "3", "--weight", "2.5"];
const kept = { priority: 3, weight: 2.5, deadline: undefined };
const due = { ...kept, deadline: "2099-01-01T00:00:00.000Z" };

test("run, fork and loop keep the claim that they are given; without one it is the configuration's", async () => {
  await cli("run", "plan.json");
  expect(await newestClaim()).toEqual({ priority: 1, weight: undefined, deadline: undefined });
  const { run_id } = JSON.parse(await cli("run", "plan.json", "--json", ...claims, "--deadline", deadline));
  expect(await newestClaim()).toEqual(due);
  await cli("fork", run_id, "a", "--json", "--trust-journal", "--priority", "-1");
  expect(await newestClaim()).toEqual({ ...due, priority: -1 });
  await cli("loop", "How many?", ...claims, "--deadline", deadline);
  expect(await newestClaim()).toEqual(due);
});

test("the turns of a conversation have the claim of the conversation", async () => {
  await cli("chat", "How many?", ...claims);
  expect(await newestClaim()).toEqual(kept);
});

test("a run that is resumed because something is due keeps its own claim", async () => {
  const { run_id } = JSON.parse(await cli("run", "waits.json", "--json", ...claims));
  await cli("signal", run_id, "paid", "--key", "7", "--data", "1");
  expect(JSON.parse(await cli("resume", "--due", "--json", "--trust-journal")).woken).toMatchObject([{ run_id }]);
  expect(await newestClaim()).toEqual(kept);
});

test.for(["serve", "scheduler", "chat", "loop", "fork", "resume", "run"])(
  "%s refuses a weight of 0 and a priority that is not a number",
  async (command) => {
    const refused = async (...args: string[]) => (await runCliHere([command, ...args], home.env, home.path)).stderr;
    expect(await refused("x", "y", "--weight", "0")).toContain("above 0");
    expect(await refused("x", "y", "--priority", "high")).toMatch(/--priority .*"high"|--priority.*number/);
  },
);

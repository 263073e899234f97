import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, startCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;

beforeAll(async () => {
  home = await temporaryHome();
  const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
  const input = '{ type: "object", properties: { city: { type: "string" } }, required: ["city"] }';
  const tool = `{ id: "get_forecast", description: "Get the weather forecast for a city", readOnly: true, input: ${input}, execute: ({ city }) => ({ city, sun: true }) }`;
  const config = `import { defineTool } from ${library};\nexport default { tools: [defineTool(${tool})] };\n`;
  await writeFile(join(home.path, "agent.config.mjs"), config);
});
afterAll(() => home.remove());

test("planloom a2a is an agent that another planloom has in its configuration", { timeout: 60_000 }, async () => {
  const env = { ...home.env, PLANLOOM_TOKEN: "t0ken-of-agent" };
  const agent = startCliHere(["a2a", "--config", "agent.config.mjs", "--name", "Weather", "--json"], env, home.path);
  try {
    const { url, card } = JSON.parse(await agent.said((text) => text.endsWith("}\n"))) as { url: string; card: string };
    expect(await (await fetch(card)).json()).toMatchObject({ name: "Weather" });
    const agents = { weather: { url, credentials: { token: "t0ken-of-agent" }, readOnly: true } };
    await writeFile(join(home.path, "user.config.mjs"), `export default { a2aAgents: ${JSON.stringify(agents)} };\n`);
    const task = { task_id: "ask", agent_id: "weather", instructions: "Get the weather forecast for Oslo" };
    await writeFile(join(home.path, "plan.json"), JSON.stringify({ planned_tasks: [task] }));
    const words = ["run", "plan.json", "--config", "user.config.mjs", "--json", "--yes"];
    const { stdout } = await runCliHere(words, home.env, home.path);
    expect(JSON.parse(stdout)).toMatchObject({ end_reason: "completed", results: [{ output: { city: "Oslo" } }] });
  } finally {
    await agent.stop();
  }
});

test.for(["a2a", "mcp"])("planloom %s takes a number of clients that may listen", async (command) => {
  const { code, stderr } = await runCliHere([command, "--port", "0", "--max-listeners", "none"], home.env, home.path);
  expect(code).toBe(2);
  expect(stderr).toContain("--max-listeners");
});

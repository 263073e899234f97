import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { afterAll, expect, test } from "vitest";
import { freightHere } from "../support/freight-here.ts";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

const home = await temporaryHome();
const { mcp, close } = await freightHere(home);
const ofBerlin = chatBehaviours.answers({
  tasks: [
    {
      task_id: "f",
      for: "facilities in Berlin",
      tool_id: "freight/facilities_list",
      arguments: { location: "Berlin" },
    },
  ],
});

afterAll(async () => {
  await close();
  await home.remove();
});

async function withEndpoint(steps: Parameters<typeof startChatServer>[0], ...args: string[]) {
  await using server = await startChatServer(steps);
  const env = { ...home.env, OPENAI_BASE_URL: server.baseURL, PLANLOOM_MODEL: "m" };
  const result = await runCliHere(args, env);
  return { ...result, requests: server.requests.length };
}

test("run, then a like goal with --memory, by flag and by configuration; list and forget", async () => {
  expect((await runCliHere(["memory", "list"], home.env)).stdout).toMatch(/^Nothing is remembered yet: .*--memory/);
  const goal = "Show me the facilities in Berlin";
  const ran = await withEndpoint([ofBerlin], "run", goal, "--mcp", mcp, "--json");
  expect([ran.code, ran.requests]).toEqual([0, 1]);
  const runId = JSON.parse(ran.stdout).run_id as string;

  // Without the flag the model is asked, and here it has no answer.
  const like = "Please show the facilities in New York";
  const without = await withEndpoint([ofBerlin], "plan", like, "--mcp", mcp, "--json");
  expect(without.requests).toBe(1);
  const reused = await withEndpoint([], "plan", like, "--mcp", mcp, "--memory", "--json");
  expect(JSON.parse(reused.stdout)).toMatchObject({
    planned_tasks: [{ tool_id: "freight/facilities_list", arguments: { location: "New York" } }],
    metadata: { memory: { run_id: runId, goal } },
  });
  const shown = await withEndpoint([], "plan", like, "--mcp", mcp, "--memory");
  expect(shown.stdout).toContain(`The plan of run ${runId}, "${goal}", with other values:`);
  expect(shown.stdout).toMatch(/f\.location: "Berlin" -> "New York"/);

  const config = join(home.path, "planloom.config.ts");
  await writeFile(config, "export default { memory: { maxPlans: 5 } };\n");
  const again = await withEndpoint([], "run", like, "--mcp", mcp, "--config", config, "--json");
  expect([again.code, again.requests]).toEqual([0, 0]);
  const off = await withEndpoint([ofBerlin], "plan", like, "--mcp", mcp, "--config", config, "--no-memory", "--json");
  expect(off.requests).toBe(1);

  const listed = JSON.parse((await runCliHere(["memory", "list", "--json"], home.env)).stdout).plans;
  expect(listed).toMatchObject([{ goal: like }, { run_id: runId, goal, tools: ["freight/facilities_list"] }]);
  expect((await runCliHere(["memory", "list", "--limit", "1"], home.env)).stdout).toMatch(
    /Please show.*facilities_list[\s\S]*1 more/,
  );

  const ids = listed.map(({ run_id }: { run_id: string }) => run_id);
  expect((await runCliHere(["memory", "forget", "nothing"], home.env)).code).not.toBe(0);
  const forgotten = await runCliHere(["memory", "forget", ...ids], home.env);
  expect(forgotten.stdout).toContain(`${runId}  forgotten`);
  expect((await runCliHere(["memory", "list", "--json"], home.env)).stdout).toContain('"plans": []');
  expect((await withEndpoint([ofBerlin], "plan", like, "--mcp", mcp, "--memory", "--json")).requests).toBe(1);
});

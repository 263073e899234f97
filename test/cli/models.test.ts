import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chatBehaviours, startChatServer } from "@planloom/controller/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freightHere } from "../support/freight-here.ts";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

const home = await temporaryHome();
const { mcp, close } = await freightHere(home);
const facilities = {
  task_id: "f",
  description: "Facilities",
  execution_type: "tool",
  tool_id: "freight/facilities_list",
};
const good = chatBehaviours.answers({
  tasks: [{ ...facilities, arguments: { location: "Berlin" }, dependencies: [] }],
});

beforeAll(() => mkdir(home.path, { recursive: true }));
afterAll(async () => {
  await close();
  await home.remove();
});

/** Runs the command line with an endpoint that answers as the test says. */
async function withEndpoint(steps: Parameters<typeof startChatServer>[0], args: readonly string[], model = "m") {
  await using server = await startChatServer(steps);
  const env = { ...home.env, OPENAI_BASE_URL: server.baseURL, ...(model === "" ? {} : { PLANLOOM_MODEL: model }) };
  const result = await runCliHere(args, env);
  return { ...result, requests: server.requests };
}

test("hybrid: no call where the draft says all, one where it does not, and it needs a model", async () => {
  const goal = "Get facilities in Berlin, then their shipments";
  const sure = await withEndpoint([], ["plan", goal, "--mcp", mcp, "--controller", "hybrid", "--json"]);
  expect(sure).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(sure.stdout).metadata.planning).toMatchObject({ model_calls: 0 });
  expect(sure.requests).toEqual([]);

  const unknown = ["plan", "Rearrange the facilities of Berlin", "--mcp", mcp, "--controller", "hybrid", "--json"];
  const asked = await withEndpoint([good, good], unknown);
  expect(asked.code).toBe(0);
  expect(JSON.parse(asked.stdout).planned_tasks).toMatchObject([{ tool_id: "freight/facilities_list" }]);
  expect(asked.requests.length).toBeGreaterThan(0);

  const cake = await withEndpoint([good], ["plan", "Bake a cake of Berlin", "--mcp", mcp, "--controller", "hybrid"]);
  expect(cake.code).toBe(1);
  expect(cake.stderr).toContain("A model would call freight/facilities_list, of which the goal says nothing.");

  const none = await runCliHere(["plan", goal, "--mcp", mcp, "--controller", "hybrid"], home.env);
  expect(none.code).toBe(2);
  expect(none.stderr).toMatch(/model/);
});

test("hybrid: how sure a draft has to be, and whose calls are taken, are options of the command line", async () => {
  const goal = "Get facilities in Berlin, then their shipments";
  const hybrid = ["plan", goal, "--mcp", mcp, "--controller", "hybrid", "--json"];
  const asked = await withEndpoint([good], [...hybrid, "--min-confidence", "1"]);
  expect(asked.requests).toHaveLength(1);
  expect(JSON.parse(asked.stdout).planned_tasks).toHaveLength(2);
  const model = await withEndpoint([good], [...hybrid, "--min-confidence", "1", "--prefer", "model"]);
  expect(JSON.parse(model.stdout).planned_tasks).toMatchObject([{ tool_id: "freight/facilities_list" }]);

  for (const [args, text] of [
    [["--min-confidence", "1.5"], /Expected a number from 0 to 1, got .*1\.5/],
    [["--prefer", "both"], /Allowed choices are draft, model/],
  ] as const) {
    const wrong = await runCliHere([...hybrid, ...args], home.env);
    expect(wrong.code).toBe(2);
    expect(wrong.stdout).toMatch(text);
  }
  const alone = await withEndpoint([], ["plan", goal, "--mcp", mcp, "--prefer", "model", "--controller", "llm"]);
  expect(alone).toMatchObject({ code: 2, stderr: expect.stringMatching(/--prefer .*--controller hybrid/s) });
  expect(alone.requests).toEqual([]);
});

test("llm: what cannot be done is not planned, unless nobody is to say so", async () => {
  const cake = ["plan", "Bake a cake of Berlin", "--mcp", mcp, "--json"];
  const refused = await withEndpoint([good], [...cake, "--controller", "llm"]);
  expect(refused.code).toBe(1);
  expect(refused.stdout + refused.stderr).toContain("A model would call freight/facilities_list");
  const unchecked = await withEndpoint([good], [...cake, "--controller", "llm", "--plan-check", "none"]);
  expect(JSON.parse(unchecked.stdout).planned_tasks).toMatchObject([{ tool_id: "freight/facilities_list" }]);
  const half = ["plan", "Get facilities in Berlin, then bake a cake", "--mcp", mcp, "--controller", "llm"];
  const proposed = await withEndpoint([good], half);
  expect(proposed.stdout.replaceAll(/\s+/g, " ")).toMatch(/This is a proposal.*rules have nothing for "bake a cake"/);
  const nobody = await withEndpoint([], [...cake, "--controller", "hybrid", "--plan-check", "none"]);
  expect(nobody).toMatchObject({ code: 2, stdout: expect.stringContaining("--plan-check has an effect only where") });
});

test("resume takes a model for tasks that had none", async () => {
  const plan = {
    planned_tasks: [
      { task_id: "say", description: "Say hello", execution_type: "llm", parameters: { uid: "default" } },
    ],
  };
  const file = join(home.path, "say.json");
  await writeFile(file, JSON.stringify(plan));
  const down = await withEndpoint(
    [chatBehaviours.fails(), chatBehaviours.fails(), chatBehaviours.fails()],
    ["run", file, "--json"],
  );
  expect(down.requests).toHaveLength(3);
  const run = JSON.parse(down.stdout);
  expect(run.end_reason).toBe("failed");
  const up = await withEndpoint([{ text: "Hello." }], ["resume", run.run_id, "--model", "other", "--json"], "");
  expect(JSON.parse(up.stdout)).toMatchObject({ end_reason: "completed", results: [{ output: { text: "Hello." } }] });
  expect(up.requests[0]?.body?.model).toBe("other");
});

test("validate knows the llm of a model, doctor the model and who plans", async () => {
  const file = join(home.path, "llm.json");
  const task = { task_id: "say", description: "Say", execution_type: "llm", parameters: { uid: "other" } };
  await writeFile(file, JSON.stringify({ planned_tasks: [task] }));
  const checked = await withEndpoint([], ["validate", file, "--model", "m", "--json"]);
  expect(JSON.parse(checked.stdout)).toMatchObject({
    valid: false,
    checked_against_tools: true,
    issues: [{ code: "unknown_llm" }],
  });

  const doctor = await withEndpoint(
    [{ text: "ready" }],
    ["doctor", "--model", "asked", "--controller", "hybrid", "--json"],
    "",
  );
  expect(JSON.parse(doctor.stdout).checks).toEqual(
    expect.arrayContaining([
      { name: "model", status: "ok", message: 'asked answered "ready"' },
      { name: "controller", status: "ok", message: "hybrid:embedded+llm:asked plans" },
    ]),
  );
  const wrong = await runCliHere(["doctor", "--controller", "nobody", "--json"], home.env);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toMatch(/embedded, llm, hybrid or an http/);
});

test("doctor names a tool whose schema cannot be read", async () => {
  const file = join(home.path, "broken.config.ts");
  const index = pathToFileURL(join(import.meta.dirname, "../../packages/planloom/src/index.ts")).href;
  await writeFile(
    file,
    `import { defineTool } from ${JSON.stringify(index)};
    export default { tools: [defineTool({ id: "birds", description: "Birds", input: { type: "objekt" }, execute: () => 1 })] };`,
  );
  const { code, stdout } = await runCliHere(["doctor", "--config", file], home.env);
  expect(code).toBe(1);
  expect(stdout).toMatch(/[✗x] resources .*The input schema of \\?"birds\\?" cannot be used: .*"objekt\\?", at /);
});

test("list says what saved plans are for", async () => {
  const listed = await runCliHere(["list", "--json"], home.env);
  const titles = JSON.parse(listed.stdout).plans.map(({ title }: { title?: string }) => title);
  expect(titles).toContain("Get facilities in Berlin, then their shipments");
  const shown = await runCliHere(["list"], home.env);
  expect(shown.stdout).toMatch(/what[\s\S]*Get facilities in Berlin/);
});

test("doctor asks the model as a run with these options would", async () => {
  const asked = await withEndpoint(
    [{ text: "ready" }],
    ["doctor", "--model", "m", "--model-api", "responses", "--json"],
    "",
  );
  expect(asked.requests.map(({ path }) => path)).toEqual([expect.stringMatching(/\/responses$/)]);
  // Real time: the limit of the call is what is tested.
  const silent = await withEndpoint(
    [chatBehaviours.silent()],
    ["doctor", "--model", "m", "--model-timeout", "0.05"],
    "",
  );
  expect(silent.stdout).toMatch(/model +m: Expected an answer from .* within 50 ms, got none/);
});

test("doctor asks the model that the configuration names, or makes", async () => {
  const config = join(home.path, "named.config.mjs");
  const options = { model: "named", api: "responses", temperature: 0.5, maxTokens: 5 };
  await writeFile(config, `export default { modelOptions: ${JSON.stringify(options)} };`);
  const { requests, stdout } = await withEndpoint([{ text: "ready" }], ["doctor", "--config", config], "");
  expect(requests.map(({ path, body }) => [path, body?.model, body?.temperature, body?.max_output_tokens])).toEqual([
    [expect.stringMatching(/\/responses$/), "named", 0.5, 5],
  ]);
  expect(stdout).toContain('named answered "ready"');
  const own = join(home.path, "own.config.mjs");
  const generate = "async () => ({ text: 'yes', toolCalls: [] })";
  await writeFile(own, `export default { model: { name: "own", generate: ${generate} } };`);
  const made = await runCliHere(["doctor", "--config", own, "--json"], home.env);
  expect(JSON.parse(made.stdout).checks).toContainEqual({ name: "model", status: "ok", message: 'own answered "yes"' });
});

test("where the endpoint fails no other words are recommended", async () => {
  const down = [chatBehaviours.fails(), chatBehaviours.fails(), chatBehaviours.fails()];
  const args = ["plan", "Get facilities in Berlin", "--mcp", mcp, "--controller", "llm"];
  const { stderr } = await withEndpoint(down, args);
  expect(stderr).toMatch(/got status 500.*\[PLANNER_NO_VALID_PLAN\]/);
  expect(stderr).not.toContain("hint");
  const unread = await withEndpoint([{ text: "Hm." }, { text: "Hm." }, { text: "Hm." }], args);
  expect(unread.stderr).toContain("hint");
});

test("what says how a model is asked is refused where there is none, and a wrong key of `modelOptions` names its file", async () => {
  const plan = ["plan", "Get facilities in Berlin", "--mcp", mcp];
  const alone = await runCliHere([...plan, "--temperature", "0.5"], home.env);
  expect(alone.code).toBe(2);
  expect(alone.stderr).toContain("--temperature has an effect only on a model, and none is named.");
  const config = join(home.path, "wrong.config.mjs");
  for (const [options, said] of [
    ["{ temprature: 0.5 }", "Unknown option `temprature` of `modelOptions`: did you mean `temperature`?"],
    ['{ maxTokens: "5" }', "Expected `maxTokens`"],
  ] as const) {
    const file = config.replace("wrong", `wrong-${options.length}`);
    await writeFile(file, `export default { modelOptions: ${options} };`);
    const wrong = await runCliHere([...plan, "--config", file], home.env);
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain(`${file}, \`modelOptions\`: ${said}`);
  }
});

test("where no plan is valid, what is recommended depends on who planned", async () => {
  const ask = async (goal: string, more: readonly string[], answers: Parameters<typeof startChatServer>[0]) =>
    (await withEndpoint(answers, ["plan", goal, "--mcp", mcp, ...more])).stderr.split("hint").at(-1);
  expect(await ask("Bake a cake", ["--controller", "embedded"], [])).toContain("A model (--model) reads other words");
  const none = chatBehaviours.answers({ tasks: [{ ...facilities, tool_id: "freight/none", arguments: {} }] });
  const wrong = await ask("Get facilities in Berlin", ["--controller", "llm"], [none, none, none]);
  expect(wrong).toContain("ask a larger model (--model)");
  const refused = await ask("Bake a cake", ["--controller", "llm"], [good, { text: "no" }]);
  expect(refused).toContain("--plan-check none");
  expect(await ask("Bake a cake", ["--controller", "hybrid"], [good, { text: "no" }])).not.toContain("--plan-check");
});

test("doctor says which limits hold, who is asked, and the names of secrets without their values", async () => {
  const config = join(home.path, "planloom.config.ts");
  const said = { concurrency: 8, secrets: { TOKEN: "hunter22-hunter22" }, confirm: "never" };
  await writeFile(config, `export default ${JSON.stringify(said)};`);
  const doctor = await runCliHere(["doctor", "--config", config, "--json"], home.env);
  const { checks } = JSON.parse(doctor.stdout) as { checks: { name: string; status: string; message: string }[] };
  const byName = new Map(checks.map((check) => [check.name, check]));
  expect(byName.get("limits")?.message).toBe("concurrency 8");
  expect(byName.get("confirmation")).toMatchObject({ status: "warning", message: expect.stringContaining("never") });
  expect(byName.get("secrets")?.message).toContain("TOKEN");
  expect(byName.get("controller")?.message).toBe("embedded plans");
  expect(doctor.stdout).not.toContain("hunter22");
});

test("flags and the configuration say how a model is asked; flags go first", async () => {
  const goal = ["plan", "Rearrange the facilities of Berlin", "--mcp", mcp, "--controller", "llm", "--json"];
  const flags = ["--max-tokens", "900", "--temperature", "0.6", "--reasoning-effort", "low"];
  const flagged = await withEndpoint([good], [...goal, ...flags, "--structured-output", "tool"]);
  expect(flagged.requests[0]?.body).toMatchObject({
    max_tokens: 900,
    temperature: 0.6,
    reasoning_effort: "low",
    tool_choice: { type: "function" },
  });

  const config = join(home.path, "model.config.ts");
  const modelOptions = { model: "configured", maxTokens: 700, temperature: 0.3, timeoutMs: 50 };
  await writeFile(config, `export default ${JSON.stringify({ modelOptions })};`);
  const silent = [...goal, "--config", config, "--temperature", "0.5"];
  const late = await withEndpoint([1, 2, 3].map(chatBehaviours.silent), silent, "");
  expect(late.code).not.toBe(0);
  expect(late.stderr + late.stdout).toMatch(/within 50 ms.*--model-timeout/s);
  expect(late.requests[0]?.body).toMatchObject({ model: "configured", max_tokens: 700, temperature: 0.5 });
  const patient = await withEndpoint([{ ...good, delayMs: 200 }], [...silent, "--model-timeout", "20"], "");
  expect(patient.code).toBe(0);

  const wrong = await runCliHere([...goal, "--model-timeout", "0"], home.env);
  expect(wrong.stderr + wrong.stdout).toMatch(/Expected a number above 0/);
});

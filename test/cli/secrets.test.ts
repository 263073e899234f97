import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

const token = "sk-live-4711-0815";
let home: Awaited<ReturnType<typeof temporaryHome>>;
let config: string;
let plan: string;
const cli = (args: readonly string[], env: Record<string, string> = {}) =>
  runCliHere([...args, "--config", config], { ...home.env, ...env });

beforeAll(async () => {
  home = await temporaryHome();
  config = join(home.path, "planloom.config.mjs");
  plan = join(home.path, "plan.json");
  await writeFile(
    config,
    `export default { executors: [{
      kind: "tool",
      resources: () => [{ kind: "tool", id: "send", description: "Sends" }],
      async execute({ input_data }) {
        if (input_data.fail) throw new Error("401 for " + input_data.token);
        return { said: "sent with " + input_data.token, length: input_data.token.length };
      },
    }] };`,
  );
  const task = (task_id: string, more = {}) => ({
    task_id,
    execution_type: "tool",
    tool_id: "send",
    arguments: { token: { $secret: "TOKEN" }, ...more },
  });
  await writeFile(plan, JSON.stringify({ task_id: "secret", planned_tasks: [task("a"), task("b", { fail: true })] }));
});
afterAll(() => home.remove());

test("a plan names no variable that is not given to it, however the environment is", async () => {
  const refused = await cli(["run", plan], { TOKEN: token });
  expect(refused).toMatchObject({ code: 2, stdout: expect.not.stringContaining(token) });
  expect(refused.stderr).toContain("TOKEN");
  expect(refused.stderr).toContain("--secret NAME");
  const dry = await cli(["run", plan, "--dry-run"], { TOKEN: token });
  expect(dry).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/"TOKEN", which is not among those of this run/),
  });
  expect((await cli(["run", plan, "--dry-run", "--secret", "TOKEN"], { TOKEN: token })).stdout).not.toContain("among");
});

test("given by name, or by another variable's, it is filled in and shown nowhere", async () => {
  const json = await cli(["run", plan, "--secret", "TOKEN", "--json"], { TOKEN: token });
  const { results, run_id } = JSON.parse(json.stdout);
  expect(results[0].output).toEqual({ said: "sent with [redacted]", length: token.length });
  expect(results[1].error.message).toBe("401 for [redacted]");
  const text = await cli(["run", plan, "--secret", "TOKEN=MY_KEY"], { MY_KEY: token });
  expect(text.stdout).toContain("sent with [redacted]");
  expect((await cli(["resume", run_id], { TOKEN: token })).stderr).toContain("TOKEN");
  const again = await cli(["resume", run_id, "--secret", "TOKEN"], { TOKEN: token });
  const forked = await cli(["fork", run_id, "a", "--secret", "TOKEN"], { TOKEN: token });
  const shown = await runCliHere(["show", run_id, "--json"], home.env);
  for (const each of [json, text, again, forked, shown]) expect(each.stdout + each.stderr).not.toContain(token);
  const files = await readdir(join(home.path, "home"), { recursive: true, withFileTypes: true });
  const bytes = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
  );
  expect(bytes.some((each) => each.includes("[redacted]"))).toBe(true);
  expect(bytes.some((each) => each.includes(token))).toBe(false);
});

test.for([
  { given: "MISSING", code: 2, says: /MISSING: the environment has no variable/ },
  { given: `TOKEN=${token}`, code: 2, says: /NAME=VARIABLE/ },
  { given: "9", code: 2, says: /NAME=VARIABLE/ },
])("--secret $given is refused, and no value is quoted", async ({ given, code, says }) => {
  const run = await cli(["run", plan, "--secret", given], { TOKEN: token });
  expect(run).toMatchObject({ code, stderr: expect.stringMatching(says) });
  expect(run.stderr).not.toContain(token);
});

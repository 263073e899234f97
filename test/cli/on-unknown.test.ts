import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
/** The first call of a payment is stopped by its time limit: nobody knows whether it was carried out. */
const config = `
import { defineTool } from ${library};
export default { tools: [
  defineTool({ id: "pay", description: "Pay", execute: (_, { signal }) => ++globalThis.payments.made > 1 ? "paid again" :
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))) }),
] };
`;
const payments = { made: 0 };
Object.assign(globalThis, { payments });

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(join(home.path, "planloom.config.mjs"), config);
  const task = { task_id: "pay", execution_type: "tool", tool_id: "pay", timeout_ms: 20 };
  await writeFile(join(home.path, "plan.json"), JSON.stringify({ planned_tasks: [task] }));
});
afterAll(() => home.remove());
beforeEach(() => {
  payments.made = 0;
});

const cli = (...args: string[]) => runCliHere(args, home.env);
const configured = () => ["--config", join(home.path, "planloom.config.mjs")];

/** Runs the payment until it is stopped. @returns the run's id */
async function stopped(...options: string[]): Promise<string> {
  await cli("run", join(home.path, "plan.json"), ...configured(), ...options);
  expect(payments.made).toBe(1);
  const { runs } = JSON.parse((await cli("list", "--json")).stdout) as { runs: { run_id: string }[] };
  return runs[0]!.run_id;
}

test("resume asks about a call of which nobody knows; approve --output says what it gave", async () => {
  const run = await stopped();
  const asked = await cli("resume", run, ...configured());
  expect(asked.code).toBe(3);
  expect(asked.stdout).toMatch(/Attempt 1 to call "pay" was begun at .*, and nobody knows whether it was carried out/);
  const told = await cli("approve", run, "--output", '{"receipt": 7}', "--by", "Ada");
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining("approved")]);
  const done = await cli("resume", run, "--json", ...configured());
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ output_data: { pay: { receipt: 7 } } });
  expect(payments.made).toBe(1);
});

test("a text that is no JSON is an output, too; a call that waits for a gate has none", async () => {
  const run = await stopped();
  expect((await cli("approve", run, "pay", "--output", "receipt 7")).code).not.toBe(0);
  await cli("resume", run, ...configured());
  expect((await cli("approve", run, "--output", "receipt 7")).code).toBe(0);
  const done = await cli("resume", run, "--json", ...configured());
  expect(JSON.parse(done.stdout)).toMatchObject({ output_data: { pay: "receipt 7" } });
});

test("--on-unknown retry makes the call again, --on-unknown fail fails its task; another word is refused", async () => {
  const run = await stopped();
  const failed = await cli("resume", run, "--on-unknown", "fail", ...configured());
  expect(failed.code).toBe(1);
  expect(failed.stdout + failed.stderr).toContain("nobody knows whether it was carried out");
  expect(payments.made).toBe(1);
  const wrong = await cli("resume", run, "--on-unknown", "maybe", ...configured());
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("ask, retry, fail")]);
  expect((await cli("resume", run, "--on-unknown", "retry", ...configured())).code).toBe(0);
  expect(payments.made).toBe(2);
});

test("what run was given holds for resume", async () => {
  const run = await stopped("--on-unknown", "fail");
  expect((await cli("resume", run, ...configured())).code).toBe(1);
  expect(payments.made).toBe(1);
});

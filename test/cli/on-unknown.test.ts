import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { repository, runCliHere, runCliProcess, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
/** The first call of a payment is stopped by its time limit: it is unknown whether it was carried out. */
const config = `
import { defineTool } from ${library};
export default { tools: [
  defineTool({ id: "die", description: "Die", execute: () => process.kill(process.pid, "SIGKILL") }),
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

/** The commands below "Next". */
const next = (stdout: string) =>
  stdout
    .slice(stdout.lastIndexOf("\nNext"))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("$ "));

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
  expect(asked.stdout).toMatch(/Attempt 1 to call "pay" was begun at .*, and it is unknown whether it was carried out/);
  const reported = await cli("approve", run, "--output", '{"receipt": 7}', "--by", "Ada");
  expect(reported.code).toBe(0);
  expect(reported.stdout).toContain("pay#begun  taken as done, not called\n");
  const shown = await cli("show", run);
  expect(shown.stdout).toMatch(/pay {2}answered, not gone on with yet\n/);
  expect(shown.stdout).toMatch(/Answered\s+resume continues with it\n\s+pay#begun {2}pay\n/);
  expect(shown.stdout).toMatch(
    /taken as done, not called by Ada at .*\n\s+its output will be\n\s+\{\n\s+"receipt": 7\n/,
  );
  expect(next(shown.stdout)).toEqual([`$ planloom resume ${run}`]);
  const done = await cli("resume", run, "--json", ...configured());
  expect(done.code).toBe(0);
  expect(JSON.parse(done.stdout)).toMatchObject({ output_data: { pay: { receipt: 7 } } });
  expect(payments.made).toBe(1);
});

test("an output that is no JSON is refused; a quoted text is one; a call that waits for a gate has none", async () => {
  const run = await stopped();
  expect((await cli("approve", run, "pay", "--output", "7")).code).not.toBe(0);
  await cli("resume", run, ...configured());
  for (const wrong of ["receipt 7", "JSON", ""]) {
    const refused = await cli("approve", run, "--output", wrong);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`Expected --output to be JSON, got ${wrong}`);
  }
  expect((await cli("approve", run, "--output", '"receipt 7"')).code).toBe(0);
  const done = await cli("resume", run, "--json", ...configured());
  expect(JSON.parse(done.stdout)).toMatchObject({ output_data: { pay: "receipt 7" } });
});

test("of a call that may have been made all ways on are offered, the one that makes it again last", async () => {
  const run = await stopped();
  const before = await cli("show", run);
  expect(before.stdout).toMatch(/longer than 20 ms\..*\n\s+begun at \d.*, outcome unknown; resume asks/);
  const asked = await cli("resume", run, ...configured());
  const ways = [
    `$ planloom approve ${run} 'pay#begun' --output JSON`,
    `$ planloom deny ${run} 'pay#begun'`,
    `$ planloom approve ${run} 'pay#begun'`,
  ];
  expect(next(asked.stdout).slice(0, 3)).toEqual(ways);
  expect(asked.stdout).toMatch(/make it again\.\n\s+\$ planloom approve \S+ 'pay#begun'\n/);
  const shown = await cli("show", run);
  expect(next(shown.stdout).slice(0, 3)).toEqual(ways);
  expect(shown.stdout).toMatch(/begun at .*; it is unknown whether it was carried out/);
  const { stdout } = await cli("resume", run, "--json", ...configured());
  const result = JSON.parse(stdout) as { next: string[][]; next_means: (string | null)[] };
  expect(result.next.slice(0, 3)).toEqual([
    ["planloom", "approve", run, "pay#begun", "--output", "JSON"],
    ["planloom", "deny", run, "pay#begun"],
    ["planloom", "approve", run, "pay#begun"],
  ]);
  expect(result.next_means).toHaveLength(result.next.length);
  expect(result.next_means[2]).toContain("make it again");
  expect(payments.made).toBe(1);
  // Left out: a fork would make the call without a question, and a no is final.
  expect((await cli("deny", run)).stdout).toContain("pay#begun  denied");
  const denied = await cli("resume", run, ...configured());
  expect(denied.code).toBe(1);
  expect(next(denied.stdout)).toEqual([`$ planloom show ${run}`]);
});

test("a run whose process was killed in a call is shown with the call begun, not as not reached", async () => {
  const task = { task_id: "gone", execution_type: "tool", tool_id: "die" };
  await writeFile(join(home.path, "die.json"), JSON.stringify({ planned_tasks: [task] }));
  const killed = await runCliProcess(["run", join(home.path, "die.json"), ...configured()], home.env);
  expect(killed.code).toBe(null);
  const { runs } = JSON.parse((await cli("list", "--json")).stdout) as { runs: { run_id: string }[] };
  const run = runs[0]!.run_id;
  const { stdout } = await cli("show", run);
  expect(stdout).toMatch(/gone {2}begun at \d{4}-\d\d-\d\dT\S+, outcome unknown; resume asks\n/);
  const shown = JSON.parse((await cli("show", run, "--json")).stdout);
  expect(shown.begun).toMatchObject([{ path: [], task_id: "gone", attempt: 1, uid: "die" }]);
  const asked = await cli("resume", run, ...configured());
  expect([asked.code, next(asked.stdout)[1]]).toEqual([3, `$ planloom deny ${run} 'gone#begun'`]);
});

test("--on-unknown retry makes the call again, --on-unknown fail fails its task; another word is refused", async () => {
  const run = await stopped();
  const failed = await cli("resume", run, "--on-unknown", "fail", ...configured());
  expect(failed.code).toBe(1);
  expect(failed.stdout + failed.stderr).toContain("it is unknown whether it was carried out");
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

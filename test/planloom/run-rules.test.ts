import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineTool, defineWorkflow, folderPlans, memoryPlans, Planloom, type TaskData } from "planloom";
import { ManualOptimizer } from "planloom/optimizer";
import { dialects, readPlan } from "planloom/plan";
import { handlePlanTool } from "planloom/plan-tools";
import { toolExecutor, whatIf } from "planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { turns } from "../support/fake-time.ts";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
beforeAll(async () => {
  home = await temporaryHome();
});
afterAll(() => home.remove());

const step = (index: string, tool: string, more: object = {}) => ({
  index,
  title: `Step ${index}`,
  tool,
  args: {},
  depends_on: [],
  ...more,
});
/** Step 1 fails at once while 2 runs. Run anew, it fails while 3 runs. */
const halting = {
  id: "halting",
  title: "Halts",
  variables: {},
  steps: [
    step("1", "fails"),
    step("2", "slow"),
    step("3", "slow", { depends_on: ["2"] }),
    step("4", "note", { depends_on: ["3"] }),
  ],
};
const dated = { id: "dated", title: "Dated", steps: [step("1", "note", { args: { day: "on ${date}" } })] };

let seen: unknown[] = [];
let broken = true;
const tools = [
  defineTool({
    id: "fails",
    description: "Fails as long as it is broken",
    readOnly: true,
    execute: () => {
      if (broken) throw new Error("broken");
      return "mended";
    },
  }),
  defineTool({
    id: "slow",
    description: "Takes some turns of the event loop",
    readOnly: true,
    execute: () => turns(),
  }),
  defineTool({ id: "note", description: "Notes its input", readOnly: true, execute: (input) => void seen.push(input) }),
];
const wired = () => {
  seen = [];
  broken = true;
  return new Planloom({ tools, retry: { max_attempts: 1 } });
};
const statuses = ({ results }: { results: readonly { task_id: string; status: string }[] }) =>
  results.map(({ task_id, status }) => `${task_id} ${status}`);

describe("a plan of mcp-cli halts after a failure", () => {
  const halted = ["1 failed", "2 completed", "3 skipped", "4 skipped"];
  const haltedAgain = ["1 failed", "2 completed", "3 completed", "4 skipped"];

  test("by run, and by resume and fork, which go on by the same rule", async () => {
    await using planloom = wired();
    const first = await planloom.run(readPlan(halting));
    expect(statuses(first)).toEqual(halted);
    const forked = await planloom.fork(first.run_id, "1");
    expect(statuses(forked)).toEqual(haltedAgain);
    const again = await planloom.resume(first.run_id);
    expect(statuses(again)).toEqual(haltedAgain);
    expect(seen).toEqual([]);
    broken = false;
    expect((await planloom.resume(first.run_id)).end_reason).toBe("completed");
  });

  test("unless the caller says otherwise", async () => {
    await using planloom = wired();
    const result = await planloom.run(readPlan(halting), { onFailure: "continue" });
    expect(statuses(result)).toEqual(["1 failed", "2 completed", "3 completed", "4 completed"]);
  });

  test("from a store, and as a plan tool", async () => {
    await using planloom = wired();
    const plans = memoryPlans();
    await plans.save(readPlan(halting));
    const text = await handlePlanTool("plan_execute", { plan_id: "halting" }, { planloom, plans });
    expect(JSON.parse(text)).toMatchObject({ success: false, steps_completed: 1 });
    const onDisk = folderPlans(join(home.path, "plans"));
    await onDisk.save(readPlan(halting));
    expect(statuses(await planloom.run(await onDisk.load("halting")))).toEqual(halted);
  });

  test("as subgraphs, and as a workflow inside a plan that goes on", async () => {
    await using planloom = wired();
    const plan = readPlan(halting);
    const { subgraphs } = new ManualOptimizer({ strategy: "per-task" }).optimize(plan);
    expect(statuses(await planloom.run(plan, { semantics: "atomic", subgraphs }))).toEqual(halted);
    const workflow = defineWorkflow({ id: "inner", description: "d", plan: JSON.stringify(halting) });
    await using outer = new Planloom({ tools, workflows: [workflow], retry: { max_attempts: 1 } });
    await outer.run({ planned_tasks: [{ task_id: "w", execution_type: "dsl", parameters: { uid: "inner" } }] });
    expect(seen).toEqual([]);
  });

  test("on the command line", async () => {
    const config = join(home.path, "planloom.config.mjs");
    const planloomUrl = new URL("../../packages/planloom/src/index.ts", import.meta.url).href;
    await writeFile(
      config,
      `import { defineTool } from ${JSON.stringify(planloomUrl)};
const tool = (id, execute) => defineTool({ id, description: id, readOnly: true, execute });
export default { retry: { max_attempts: 1 }, tools: [
  tool("fails", () => { throw new Error("broken"); }),
  tool("slow", async () => { for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate); }),
  tool("note", (input) => input),
] };`,
    );
    const [haltingFile, datedFile] = [join(home.path, "halting.json"), join(home.path, "dated.json")];
    await writeFile(haltingFile, JSON.stringify(halting));
    await writeFile(datedFile, JSON.stringify(dated));
    const cli = (...args: string[]) => runCliHere([...args, "--config", config], home.env);
    const first = await cli("run", haltingFile, "--json");
    const { run_id, ...result } = JSON.parse(first.stdout);
    expect(statuses(result)).toEqual(halted);
    expect(statuses(JSON.parse((await cli("resume", run_id, "--json")).stdout))).toEqual(haltedAgain);

    const refused = await cli("run", datedFile);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("${date}")]);
    expect((await cli("run", datedFile, "--var", "dat=x")).stderr).toContain('The plan has no variable "dat"');
    const filled = await cli("run", datedFile, "--var", "date=2026-03-01", "--json");
    expect(JSON.parse(filled.stdout).results[0]).toMatchObject({ output: { day: "on 2026-03-01" } });
  });
});

describe("a name that an mcp-cli plan refers to and does not declare", () => {
  test("is an error without a value, and filled with one; its text never reaches a tool", async () => {
    await using planloom = wired();
    const plan = readPlan(dated);
    await expect(planloom.run(plan)).rejects.toMatchObject({ code: "PLANLOOM_INVALID_PLAN" });
    expect(seen).toEqual([]);
    expect((await planloom.run(plan, { variables: { date: "2026-03-01" } })).end_reason).toBe("completed");
    expect(seen).toEqual([{ day: "on 2026-03-01" }]);
    expect(planloom.dryRun(plan, { variables: { date: "Monday" } }).steps[0]?.input).toEqual({ day: "on Monday" });
  });

  test("may be given by a model that executes the plan", async () => {
    await using planloom = wired();
    const plans = memoryPlans();
    await plans.save(readPlan(dated));
    const execute = async (variables: object) =>
      JSON.parse(await handlePlanTool("plan_execute", { plan_id: "dated", variables }, { planloom, plans }));
    expect(await execute({ day: 1 })).toEqual({ error: 'The plan has no variable "day".', variables: ["date"] });
    expect(await execute({ date: "now" })).toMatchObject({ success: true });
    expect(seen).toEqual([{ day: "on now" }]);
  });

  test("can be written back", () => {
    expect(dialects.mcpCli.write(readPlan(dated))).toMatchObject({ steps: [{ args: { day: "on ${date}" } }] });
  });
});

test("a value for a name that the plan has not is refused by run, stream, dryRun and whatIf alike", async () => {
  await using planloom = wired();
  const plan: Partial<TaskData> = readPlan({ ...halting, variables: { town: "Ulm" } });
  const variables = { country: "DE" };
  const refusal = {
    code: "RUNTIME_INVALID_OPTION",
    message: 'Expected `variables` to be variables of the plan, got "country". The plan has town.',
  };
  await expect(planloom.run(plan as TaskData, { variables })).rejects.toMatchObject(refusal);
  await expect(planloom.stream(plan as TaskData, { variables }).result).rejects.toMatchObject(refusal);
  expect(() => planloom.dryRun(plan as TaskData, { variables })).toThrow(expect.objectContaining(refusal));
  const executors = [toolExecutor(tools)];
  expect(() => whatIf(plan as TaskData, { executors, variables })).toThrow(expect.objectContaining(refusal));
});

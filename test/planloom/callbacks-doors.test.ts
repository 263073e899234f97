import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryJournal } from "planloom";
import { childProcessDispatcher, type RunOptions, run } from "planloom/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Misbehaviour, misbehaviours, planOf, unhandled, watchProcess, within } from "../support/misbehaving.ts";
import { bind, executors, workerFunctions } from "../support/misbehaving-worker.ts";
import { runCliHere, temporaryHome } from "../support/run-cli.ts";

watchProcess();

const kinds = Object.keys(misbehaviours) as Misbehaviour[];

describe("in a worker process", () => {
  const module = new URL("../support/misbehaving-worker.ts", import.meta.url);
  const dispatcher = childProcessDispatcher({ module, keepWorkers: 1 });
  beforeAll(() => dispatcher.warm(1));
  afterAll(() => dispatcher.close());

  const tool = (tool_id: string) => planOf({ execution_type: "tool", tool_id, retry: { max_attempts: 1 } });
  const options = (plan: ReturnType<typeof tool>, more: Partial<RunOptions> = {}): RunOptions => ({
    executors,
    bind,
    journal: memoryJournal(),
    semantics: "atomic",
    subgraphs: [{ subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] }],
    dispatcher,
    budgets: { run: { calls: 9 } },
    taskTimeoutMs: 300,
    bindTimeoutMs: 300,
    abortGraceMs: 400,
    ...more,
  });
  const fine = tool("fine");
  const pid = async () => (await run(fine, options(fine, { taskTimeoutMs: 60_000 }))).results[0]?.output;

  describe.each(workerFunctions)("%s", (name) => {
    test.each(kinds)("that %s fails its task; the worker and the run go on", async (kind) => {
      const before = await pid();
      const plan = tool(`${name}/${kind}`);
      const ended = await within(run(plan, options(plan)));
      expect(ended).not.toBe("hangs");
      const isGood = kind === "settles twice" && (name === "execute" || name === "bind");
      expect(ended).toMatchObject({ end_reason: isGood ? "completed" : "failed" });
      expect(unhandled).toEqual([]);
      // What was abandoned goes on in its process, which is ended then.
      if (kind !== "never settles") expect(await pid()).toBe(before);
    });

    test.each(kinds)("that %s does not hold up an abort", async (kind) => {
      const plan = tool(`${name}/${kind}`);
      const ended = await within(run(plan, options(plan, { taskTimeoutMs: 60_000, signal: AbortSignal.timeout(20) })));
      expect(ended).not.toBe("hangs");
      expect(unhandled).toEqual([]);
    });
  });
});

describe("in a configuration file of the command line", () => {
  let home: Awaited<ReturnType<typeof temporaryHome>>;
  let files = 0;
  beforeAll(async () => {
    home = await temporaryHome();
    const task = { task_id: "a", execution_type: "tool", tool_id: "t", retry: { max_attempts: 1 } };
    await writeFile(join(home.path, "plan.json"), JSON.stringify({ task_id: "p", planned_tasks: [task] }));
  });
  afterAll(() => home.remove());

  const faults: Readonly<Record<Misbehaviour, string>> = {
    throws: `() => { throw new Error("boom"); }`,
    rejects: `() => Promise.reject(new Error("boom"))`,
    "never settles": `() => new Promise(() => {})`,
    "gives nonsense": `() => Symbol("nonsense")`,
    "settles twice": `() => ({ then(resolve, reject) { resolve(good); reject(new Error("second")); } })`,
  };
  const executor = (own: string) => `executors: [{ kind: "tool",
    resources: () => [{ kind: "tool", id: "t", description: "t", read_only: true }], execute: async () => 1, ${own} }]`;
  const plan = "plan.json";

  /** What the file has in the place of `FAULT`, what is run, and of which it ends well although the function fails. */
  const places: readonly (readonly [string, string, string, readonly Misbehaviour[]])[] = [
    ["executor.resources", executor("resources: FAULT"), plan, []],
    ["executor.estimate", `${executor("estimate: FAULT")}, budgets: { run: { calls: 9 } }`, plan, []],
    ["executor.unavailable", executor("unavailable: FAULT"), plan, []],
    ["confirm", `${executor("")}, confirm: FAULT`, plan, []],
    ["executor.execute", executor("execute: FAULT"), plan, ["settles twice"]],
    ["guards.classify", `${executor("")}, guards: { total: 9, classify: FAULT }`, plan, []],
    [
      "replanPolicy.check",
      `${executor("")}, replanPolicy: { on: ["output"], maxReplans: 0, check: FAULT }`,
      plan,
      ["settles twice"],
    ],
    [
      "controller.processPhase1",
      `${executor("")}, controller: { name: "c", processPhase1: FAULT, processPhase2: FAULT }`,
      "Do t",
      [],
    ],
    [
      "planner.prompts.job",
      `${executor("")}, planner: { timeoutMs: 200, prompts: { job: FAULT } }, controller: { name: "c", processPhase1: async () => ({}), processPhase2: async () => ({}) }`,
      "Do t",
      [],
    ],
  ];

  /** Where an attempt fails or planning does, by the code or what was thrown; else the function is named. */
  const codes: Readonly<Record<string, RegExp>> = {
    confirm: /waits for approval[\s\S]*(`confirm` threw: boom|Expected `confirm` to give true or false)/,
    "executor.execute": /\[TASK_(FAILED|TIMEOUT|OUTPUT_NOT_JSON)\]/,
    "replanPolicy.check": /\[TASK_(FAILED|TIMEOUT|OUTPUT_INVALID)\]/,
    "controller.processPhase1": /Failed to generate valid plan|within 200 ms/,
    "planner.prompts.job": /`prompts.job`/,
  };

  describe.each(places)("%s", (name, body, what, good) => {
    const reported = codes[name] ?? name;
    test.each(kinds)("that %s ends the command with its exit code and a sentence", async (kind) => {
      const file = join(home.path, `planloom.config.${files++}.mjs`);
      const limits = "taskTimeoutMs: 200, bindTimeoutMs: 200, abortGraceMs: 50";
      const timeout = body.includes("planner:") ? "" : "planner: { timeoutMs: 200 },";
      const source = `const good = undefined; export default { ${limits}, ${timeout} ${body.replaceAll("FAULT", faults[kind])} };`;
      await writeFile(
        file,
        source.replace("const good = undefined", `const good = ${what === plan ? "undefined" : "{ success: false }"}`),
      );
      const target = what === plan ? join(home.path, plan) : what;
      const args = ["run", target, "--config", file];
      const ended = await within(runCliHere(args, home.env));
      if (ended === "hangs") throw new Error("The command hangs.");
      expect(unhandled).toEqual([]);
      expect(ended.code === 0, ended.stderr).toBe(good.includes(kind));
      const text = `${ended.stdout}${ended.stderr}`;
      if (!good.includes(kind)) expect(text).toMatch(reported);
      expect(text).not.toMatch(/\n\s+at /);
    });
  });
});

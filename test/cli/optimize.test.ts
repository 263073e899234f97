import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
const file = (name: string) => join(home.path, name);
const cli = (...args: string[]) => runCliHere(args, home.env);

const task = (task_id: string, duration_ms: number, ...dependencies: string[]) => ({
  task_id,
  dependencies,
  estimate_data: { duration_ms, tokens: 100, failure_probability: 0.1 },
});
const planned_tasks = [
  task("news", 4000),
  task("prices", 3000),
  task("read", 6000, "news"),
  task("compare", 5000, "prices"),
  task("draw", 800, "read"),
  task("write", 9000, "draw", "compare"),
];

beforeAll(async () => {
  home = await temporaryHome();
  await writeFile(file("plan.json"), JSON.stringify({ task_id: "p", title: "Market report", planned_tasks }));
});
afterAll(() => home.remove());

test("says what goes together, when it ends, what proves that, and what else could be chosen", async () => {
  const { code, stdout, stderr } = await cli("optimize", file("plan.json"), "--env", "executors=3,overhead=2s");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^◆ Market report\n/);
  expect(stdout).toMatch(/Subgraphs {2}6 tasks on 3 executors, a dispatch costs 2\.00 s/);
  expect(stdout).toMatch(/ends after +\S+ s, proved: no grouping ends earlier/);
  expect(stdout).toMatch(/bound +\S+ s by \S+.*: /);
  expect(stdout).toMatch(/dispatches +\d for 6 tasks/);
  expect(stdout).toMatch(/tokens +600/);
  expect(stdout).toMatch(/rework +\S+ m?s expected/);
  expect(stdout).toMatch(/a failure +repeats \S+ tasks on average/);
  expect(stdout).toMatch(/why +\S+/);
  expect(stdout).toMatch(/To choose from {2}none of \d+ is better than another[\s\S]*●/);
  expect(stdout).toMatch(/Strategies {2}best first/);
  expect(stdout.split("\n").every((line) => line.length <= 100)).toBe(true);
});

test("--json has the same as data, choices where they are asked for", async () => {
  const plain = JSON.parse((await cli("optimize", file("plan.json"), "--json")).stdout);
  expect(plain).toMatchObject({
    strategy: expect.any(String),
    proved: true,
    boundBy: expect.any(String),
    blastRadius: { mean: expect.any(Number) },
    environment: { executors: 4 },
  });
  expect(plain.front).toBeUndefined();
  const chosen = JSON.parse((await cli("optimize", file("plan.json"), "--json", "--front")).stdout);
  const ids = (subgraphs: { tasks: string[] }[]) => subgraphs.flatMap(({ tasks }) => tasks).sort();
  for (const choice of chosen.front)
    expect(ids(choice.subgraphs)).toEqual(planned_tasks.map((each) => each.task_id).sort());
});

test("the environment comes from a file too, and single options go before it", async () => {
  await writeFile(
    file("env.yaml"),
    "executors: unlimited\noverhead: 0.5x\nbaseTokens: 1000\nprices: { perDispatch: 2 }\n",
  );
  const read = async (...more: string[]) =>
    JSON.parse((await cli("optimize", file("plan.json"), "--json", "--env", file("env.yaml"), ...more)).stdout)
      .environment;
  expect(await read()).toMatchObject({ executors: null, overheadMs: 27_800 / 6 / 2, baseTokens: 1000 });
  expect(await read("--executors", "2", "--overhead", "10")).toMatchObject({ executors: 2, overheadMs: 10 });
});

test("it says where the durations are from, and what was assumed where there are none", async () => {
  const { stdout } = await cli("optimize", file("plan.json"));
  expect(stdout).toContain("  Durations are from the plan.\n");
  const tasks = ["a", "b", "c"].map((task_id, at) => ({
    task_id,
    ...(at === 0 && { estimate_data: { duration_ms: 5 } }),
  }));
  await writeFile(file("bare.json"), JSON.stringify({ planned_tasks: tasks }));
  expect((await cli("optimize", file("bare.json"))).stdout).toContain(
    "  Durations: 1 from the plan, 2 not known and taken as 1 s.\n",
  );
  const { sources } = JSON.parse((await cli("optimize", file("bare.json"), "--json")).stdout);
  expect(sources).toEqual({ planned: 1, learned: 0, declared: 0, assumed: 2 });
});

test("of a workload's file with some durations it says how many were filled in, and with what", async () => {
  const text = "digraph { a [duration_ms=2000]; b; c [duration_ms=4000]; d; a->b; b->c; c->d; }";
  await writeFile(file("some.dot"), text);
  expect((await cli("optimize", file("some.dot"))).stdout).toContain(
    "  Durations: 2 from the plan, 2 not known and taken as 3.00 s, the mean of the others.\n",
  );
  const { sources } = JSON.parse((await cli("optimize", file("some.dot"), "--json")).stdout);
  expect(sources).toEqual({ planned: 2, learned: 0, declared: 0, assumed: 2, assumedMs: 3_000 });
});

test("classes of executors come from a file", async () => {
  const classes = [
    { name: "small", count: 2, overheadMs: 500 },
    { name: "large", count: 1, overheadMs: "1s", contextTokens: 9000, prices: { perExecutorHour: 3 } },
  ];
  await writeFile(file("classes.json"), JSON.stringify({ classes }));
  const { code, stdout } = await cli("optimize", file("plan.json"), "--json", "--env", file("classes.json"));
  expect(code).toBe(0);
  expect(JSON.parse(stdout).environment).toMatchObject({ executors: 3, overheadMs: 500 });
  const [small, large] = classes;
  const named = [{ name: "small", count: 2, overhead: "500ms" }, large];
  await writeFile(file("named.json"), JSON.stringify({ classes: named }));
  const same = await cli("optimize", file("plan.json"), "--json", "--env", file("named.json"));
  expect(JSON.parse(same.stdout)).toEqual(JSON.parse(stdout));
  for (const [own, says] of [
    [
      { ...small, overhead: "1x" },
      /classes\.0\.overhead: expected milliseconds, or a time such as 500ms or 2s, got "1x"/,
    ],
    [{ ...small, sped: 2 }, /classes\.0: nothing is called "sped"; there is .*name, count, speed, serves/],
  ] as const) {
    await writeFile(file("wrong.json"), JSON.stringify({ classes: [own] }));
    const wrong = await cli("optimize", file("plan.json"), "--env", file("wrong.json"));
    expect(wrong.code).toBe(2);
    expect(wrong.stderr.replaceAll(/\s+/g, " ")).toMatch(says);
  }
});

test("machines of different speeds with a rate for each link come from a file, and a wrong table is refused", async () => {
  const classes = [
    { name: "fast", count: 1, overheadMs: 0, speed: 4 },
    { name: "slow", count: 1, overheadMs: 0, speed: 0.5 },
  ];
  const at = async (environment: object, ...more: string[]) => {
    await writeFile(file("machines.json"), JSON.stringify(environment));
    return cli("optimize", file("plan.json"), "--env", file("machines.json"), ...more);
  };
  const predicted = async (environment: object) => JSON.parse((await at(environment, "--json")).stdout).predictedMs;
  const rates = [
    ["unlimited", 1],
    [1, "unlimited"],
  ];
  const both = await predicted({ classes, rates });
  // Two fast ones are faster, two slow ones slower.
  expect(await predicted({ classes: [{ ...classes[0], count: 2 }] })).toBeLessThanOrEqual(both);
  expect(await predicted({ classes: [{ ...classes[1], count: 2 }] })).toBeGreaterThan(both);
  for (const [environment, says] of [
    [{ classes, rates: [[1, 1]] }, /environment\.rates to be a table of 2 rows of 2 rates/],
    [{ rates: [[1]] }, /environment\.rates to be left out where there are no classes/],
    [
      {
        classes,
        rates: [
          [1, 0],
          [1, 1],
        ],
      },
      /environment\.rates\[0\]\[1\] to be a number above 0/,
    ],
    [
      { classes: [{ ...classes[0], speed: 0 }] },
      /environment\.classes\[0\]\.speed to be a finite number above 0, got 0/,
    ],
  ] as const) {
    const refused = await at(environment);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(says);
    expect(refused.stderr).toMatch(/OPTIMIZER_ENVIRONMENT/);
  }
});

test("the objective can count more than time", async () => {
  const { stdout } = await cli("optimize", file("plan.json"), "--objective", "tokens=3,rework=1");
  expect(stdout).toMatch(/objective +\S+ s: time, 3 a prompt token, 1 a millisecond of expected rework/);
  expect(stdout).toMatch(/strategy +objective +ends after/);
});

test("a strategy of one's own is one object in a module", async () => {
  const optimizer = pathToFileURL(join(repository, "packages/optimizer/src/index.ts")).href;
  await writeFile(
    file("mine.ts"),
    `import { fromLabels } from ${JSON.stringify(optimizer)};
    export default { name: "mine", version: "1", description: "all apart", deterministic: true,
      propose: (view: { n: number }) => fromLabels(Int32Array.from({ length: view.n }, (_, v) => v)) };`,
  );
  const result = await cli("optimize", file("plan.json"), "--strategy", file("mine.ts"), "--json");
  expect(JSON.parse(result.stdout)).toMatchObject({ strategy: "mine", dispatches: 6 });
  await writeFile(file("wrong.ts"), "export default { name: 'wrong', propose: 3 };");
  const refused = await cli("optimize", file("plan.json"), "--strategy", file("wrong.ts"));
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /wrong\.ts exports no strategy: expected `version` to be .*, got nothing, .*`propose` to be a function, got 3\.[\s\S]*propose\(view/,
    ),
  });
});

test.for<{ name: string; args: string[]; says: RegExp }>([
  { name: "two strategies", args: ["--strategy", "single,portfolio"], says: /one strategy, got 2/ },
  {
    name: "a weight of nothing known",
    args: ["--objective", "speed=1"],
    says: /tokens, price, bytes, rework, blast, got "speed=1"/,
  },
  { name: "a weight that is no number", args: ["--objective", "tokens=lots"], says: /got "tokens=lots"/ },
  {
    name: "streaming with what it does not model",
    args: ["--env", "semantics=streaming,slots=2"],
    says: /"atomic" or "pipelined" with classes, slots/,
  },
  {
    name: "pipelined with what it does not model",
    args: ["--env", "semantics=pipelined,latencyMs=2"],
    says: /"atomic" where outputs take time to another executor/,
  },
  { name: "a semantics that is none", args: ["--env", "semantics=eager"], says: /semantics:.*"atomic".*"streaming"/ },
  { name: "a context that no task fits into", args: ["--env", "contextTokens=50"], says: /OPTIMIZER_INFEASIBLE/ },
])("$name is refused with 2, a code and the way out", async ({ args, says }) => {
  const result = await cli("optimize", file("plan.json"), ...args);
  expect(result).toMatchObject({ code: 2, stdout: "" });
  expect(result.stderr).toMatch(says);
  expect(result.stderr).not.toMatch(/^\s+at /m);
});

test("reads the formats of workloads with their order and times, as bench does, packed too", async () => {
  const tasks = [
    { id: "a", type: "x", runtime: 1.5, deps: [] },
    { id: "b", type: "y", runtime: 2, deps: ["a"] },
    { id: "c", type: "y", runtime: 3, deps: ["a"] },
  ];
  const workload = { format: "plan-workload/1", name: "three", tasks };
  const jobs = { name: "old", schemaVersion: "1.3", workflow: { jobs: [] } };
  await writeFile(file("old.json"), JSON.stringify(jobs));
  const old = await cli("optimize", file("old.json"));
  expect(old).toMatchObject({ code: 2, stderr: expect.stringMatching(/WfFormat 1\.5 or 1\.6.*\[OPTIMIZER_INPUT\]/) });
  await writeFile(file("three.json"), JSON.stringify(workload));
  await writeFile(file("three.json.gz"), gzipSync(JSON.stringify(workload)));
  for (const name of ["three.json", "three.json.gz"]) {
    const { code, stdout } = await cli("optimize", file(name), "--overhead", "0", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ predictedMs: 4_500, lowerBoundMs: 4_500 });
  }
  expect((await cli("graph", file("three.json"))).stdout).toMatch(/three · 3 tasks · 2 levels/);
  await writeFile(
    file("set.json"),
    JSON.stringify({
      ...workload,
      tasks: undefined,
      instances: [
        { name: "1", tasks },
        { name: "2", tasks },
      ],
    }),
  );
  expect(await cli("optimize", file("set.json"))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/holds 2 plans, not one[\s\S]*planloom bench/),
  });
});

test.each(["optimize", "graph", "bench"])(
  "%s refuses a plan whose order is in fields that nothing reads",
  async (command) => {
    await writeFile(file("foreign.json"), JSON.stringify({ tasks: [{ id: "a" }, { id: "b", parents: ["a"] }] }));
    expect(await cli(command, file("foreign.json"))).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringMatching(/Unknown field "parents".*dependency/),
    });
  },
);

test("the configuration's optimizer and concurrency count, as in a run; options go first", async () => {
  const config = file("planloom.config.mjs");
  await writeFile(
    config,
    'export default { concurrency: 3, optimizer: { strategy: "per-task", environment: { overheadMs: 7 } } };',
  );
  const read = async (...more: string[]) => {
    const { stdout } = await cli("optimize", file("plan.json"), "--config", config, "--json", ...more);
    return JSON.parse(stdout) as { strategy: string; subgraphs: unknown[]; environment: Record<string, unknown> };
  };
  expect(await read()).toMatchObject({ strategy: "per-task", environment: { executors: 3, overheadMs: 7 } });
  expect((await read()).subgraphs).toHaveLength(planned_tasks.length);
  expect(await read("--strategy", "single", "--executors", "2")).toMatchObject({
    strategy: "single",
    environment: { executors: 2, overheadMs: 7 },
  });
  const drawn = await cli("graph", file("plan.json"), "--subgraphs", "--format", "mermaid", "--config", config);
  expect(drawn.stdout.match(/subgraph /g)).toHaveLength(planned_tasks.length);
});

test("what the configuration says of its dispatch goes before its optimizer, as in a run", async () => {
  const config = file("dispatched.config.mjs");
  await writeFile(
    config,
    `const to = { name: "own", dispatch: () => { throw new Error("nothing is run"); } };
export default {
  optimizer: { strategy: "single", environment: { overheadMs: 7 } },
  dispatch: { to, optimizer: { strategy: "per-task", environment: { executors: 2 } }, environment: { overheadMs: 9 } },
};`,
  );
  const { stdout } = await cli("optimize", file("plan.json"), "--config", config, "--json");
  expect(JSON.parse(stdout)).toMatchObject({ strategy: "per-task", environment: { executors: 2, overheadMs: 9 } });
  const drawn = await cli("graph", file("plan.json"), "--subgraphs", "--format", "mermaid", "--config", config);
  expect(drawn.stdout.match(/subgraph /g)).toHaveLength(planned_tasks.length);
});

test("what was assumed is said: a second for a task, ten elements for a list of unknown length", async () => {
  const listed = {
    task_id: "each",
    execution_type: "tool",
    tool_id: "b",
    arguments: { of: "${one}" },
    for_each: { items: "${find.hits}", as: "one" },
  };
  const planned = [{ task_id: "find", execution_type: "tool", tool_id: "a" }, listed];
  await writeFile(file("listed.json"), JSON.stringify({ planned_tasks: planned }));
  const { stdout } = await cli("optimize", file("listed.json"));
  const said = "Durations are not known and taken as 1 s each. A list of unknown length counts as 10 elements.";
  expect(stdout).toContain(said);
  const two = [...planned, { ...listed, task_id: "again" }];
  await writeFile(file("listed.json"), JSON.stringify({ planned_tasks: two }));
  expect((await cli("optimize", file("listed.json"))).stdout).toContain(
    "2 lists of unknown length count as 10 elements each.",
  );
});

test("--evaluations bounds a search in place of time: the same again, and no worse with more of them", async () => {
  const tasks = Array.from({ length: 30 }, (_, v) =>
    task(`t${v}`, 100 + ((v * 7919) % 400), ...(v < 3 ? [] : [`t${v % 3}`, `t${v - 2}`])),
  );
  await writeFile(file("wide.json"), JSON.stringify({ task_id: "p", planned_tasks: tasks }));
  const search = async (evaluations: number) => {
    const words = ["--strategy", "anytime", "--executors", "4", "--overhead", "150", "--json"];
    const { stdout } = await cli("optimize", file("wide.json"), ...words, "--evaluations", String(evaluations));
    return JSON.parse(stdout) as { predictedMs: number; subgraphs: unknown };
  };
  const [first, again, more] = [await search(100_000), await search(100_000), await search(3_000_000)];
  expect(again).toEqual(first);
  expect(more.predictedMs).toBeLessThanOrEqual(first.predictedMs);
  const none = await cli("optimize", file("wide.json"), "--evaluations", "0");
  expect(none.code).toBe(2);
  expect(none.stderr).toContain("--evaluations");
});

test("graph --format gexf and graphml write what is known of each task, or of each subgraph", async () => {
  const gexf = await cli("graph", file("plan.json"), "--format", "gexf");
  expect(gexf).toMatchObject({ code: 0, stderr: "" });
  expect(gexf.stdout).toContain('<gexf version="1.3"');
  for (const { task_id } of planned_tasks) expect(gexf.stdout).toContain(`<node id="${task_id}"`);
  const graphml = await cli("graph", file("plan.json"), "--format", "graphml", "--subgraphs");
  expect(graphml).toMatchObject({ code: 0, stderr: "" });
  expect(graphml.stdout).toContain('<node id="sg-1">');
  expect(graphml.stdout).toMatch(/<data key="node-tasks">[a-z ]+<\/data>/);
  expect(graphml.stdout).not.toContain("[object");
});

test.for(["optimize", "graph"])("%s names the file of a plan whose tasks have no order", async (command) => {
  await writeFile(file("lost.json"), JSON.stringify({ planned_tasks: [task("a", 1), task("b", 1, "zz")] }));
  await writeFile(file("round.json"), JSON.stringify({ planned_tasks: [task("a", 1, "b"), task("b", 1, "a")] }));
  const lost = await cli(command, file("lost.json"));
  expect(lost.code).toBe(2);
  expect(lost.stderr).toMatch(/lost\.json: .*task "b" depends on "zz"/);
  expect((await cli(command, file("round.json"))).stderr).toMatch(/round\.json: /);
});

// Runs one DAG file with one peer, in a process of its own, and prints what it took as JSON:
// `node run-peer.mjs PEER DAG.json ROUNDS CONCURRENCY SECONDS`. Building a graph is told apart from running it. No round is begun
// that would not end within SECONDS by the time the last one took.
import { readFileSync } from "node:fs";

const [, , peer, file, rounds, concurrencyText, seconds = "60"] = process.argv;
const { parents, durations, map } = JSON.parse(readFileSync(file, "utf8"));
const concurrency = Number(concurrencyText) || Number.POSITIVE_INFINITY;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const work = durations ? (task) => sleep(durations[task]) : async () => null;

/** Tasks by layer, for what can only say layers. */
function layersOf() {
  const level = [];
  const layers = [];
  for (const [task, above] of parents.entries()) {
    level[task] = above.length === 0 ? 0 : 1 + Math.max(...above.map((parent) => level[parent]));
    layers[level[task]] ??= [];
    layers[level[task]].push(task);
  }
  return layers;
}

/** Each peer: builds, and gives a function that runs once. */
const peers = {
  async promises() {
    return async () => {
      const done = [];
      for (const [task, above] of parents.entries()) {
        done[task] =
          above.length === 0 ? work(task) : Promise.all(above.map((parent) => done[parent])).then(() => work(task));
      }
      await Promise.all(done);
    };
  },

  async "p-graph"() {
    const { PGraph } = await import("p-graph");
    const nodes = new Map(parents.map((_, task) => [`t${task}`, { run: () => work(task) }]));
    const edges = parents.flatMap((above, task) => above.map((parent) => [`t${parent}`, `t${task}`]));
    const options = Number.isFinite(concurrency) ? { concurrency } : {};
    return () => new PGraph(nodes, edges).run(options);
  },

  "langgraph-state": () => stateGraph(false),
  "langgraph-state-saver": () => stateGraph(true),
  "langgraph-send": () => sendGraph(false),
  "langgraph-send-saver": () => sendGraph(true),
  "langgraph-functional": () => functional(false),
  "langgraph-functional-saver": () => functional(true),

  async mastra() {
    const { createStep, createWorkflow } = await import("@mastra/core/workflows");
    const { z } = await import("zod");
    const any = z.any();
    let workflow = createWorkflow({ id: "dag", inputSchema: any, outputSchema: any });
    for (const layer of layersOf()) {
      const steps = layer.map((task) =>
        createStep({
          id: `t${task}`,
          inputSchema: any,
          outputSchema: any,
          execute: async () => (await work(task)) ?? {},
        }),
      );
      workflow = steps.length === 1 ? workflow.then(steps[0]) : workflow.parallel(steps);
    }
    workflow = workflow.commit();
    return async () => {
      const run = await workflow.createRun();
      const { status, error } = await run.start({ inputData: {} });
      if (status !== "success") throw new Error(`Mastra ended with ${status}: ${error}`);
    };
  },

  async "ai-sdk"() {
    const { generateText, jsonSchema, tool } = await import("ai");
    const { MockLanguageModelV4 } = await import("ai/test");
    const noop = tool({ inputSchema: jsonSchema({ type: "object" }), execute: ({ task }) => work(task) });
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const content = parents.map((_, task) => ({
      type: "tool-call",
      toolCallId: `t${task}`,
      toolName: "noop",
      input: JSON.stringify({ task }),
    }));
    return async () => {
      const model = new MockLanguageModelV4({
        doGenerate: async () => ({
          content,
          finishReason: { unified: "tool-calls", raw: "tool_calls" },
          usage,
          warnings: [],
        }),
      });
      const limit = Number.isFinite(concurrency) ? { toolCallConcurrency: concurrency } : {};
      const { toolResults } = await generateText({ model, tools: { noop }, prompt: "go", ...limit });
      if (toolResults.length !== parents.length)
        throw new Error(`Expected ${parents.length} results, got ${toolResults.length}.`);
    };
  },
};

/** A node that is sent each element of a list; what it gives is collected in the state. */
async function sendGraph(withSaver) {
  const { Annotation, END, MemorySaver, Send, START, StateGraph } = await import("@langchain/langgraph");
  const State = Annotation.Root({ done: Annotation({ reducer: (a, b) => a.concat(b), default: () => [] }) });
  const list = Array.from({ length: map.elements }, (_, index) => index);
  const graph = new StateGraph(State)
    .addNode("work", async ({ item }) => ({ done: [await work(item)] }))
    .addConditionalEdges(START, () => list.map((item) => new Send("work", { item })), ["work"])
    .addEdge("work", END)
    .compile(withSaver ? { checkpointer: new MemorySaver() } : {});
  let round = 0;
  return async () => {
    const limit = Number.isFinite(concurrency) ? { maxConcurrency: concurrency } : {};
    const { done } = await graph.invoke({}, { ...limit, configurable: { thread_id: `r${round++}` } });
    if (done.length !== list.length) throw new Error(`Expected ${list.length} results, got ${done.length}.`);
  };
}

async function stateGraph(withSaver) {
  const { Annotation, END, MemorySaver, START, StateGraph } = await import("@langchain/langgraph");
  const State = Annotation.Root({ done: Annotation({ reducer: (a, b) => a + b, default: () => 0 }) });
  const graph = new StateGraph(State);
  const isParent = new Set(parents.flat());
  for (const task of parents.keys()) {
    graph.addNode(`t${task}`, async () => {
      await work(task);
      return { done: 1 };
    });
  }
  for (const [task, above] of parents.entries()) {
    if (above.length === 0) graph.addEdge(START, `t${task}`);
    else graph.addEdge(above.length === 1 ? `t${above[0]}` : above.map((parent) => `t${parent}`), `t${task}`);
    if (!isParent.has(task)) graph.addEdge(`t${task}`, END);
  }
  const compiled = graph.compile(withSaver ? { checkpointer: new MemorySaver() } : {});
  let thread = 0;
  return async () => {
    const config = { recursionLimit: 1_000_000, configurable: { thread_id: String(thread++) } };
    if (Number.isFinite(concurrency)) config.maxConcurrency = concurrency;
    const { done } = await compiled.invoke({ done: 0 }, config);
    if (done !== parents.length) throw new Error(`Expected ${parents.length} tasks done, got ${done}.`);
  };
}

async function functional(withSaver) {
  const { entrypoint, MemorySaver, task } = await import("@langchain/langgraph");
  const step = task("step", async (number) => (await work(number)) ?? null);
  const options = withSaver ? { name: "dag", checkpointer: new MemorySaver() } : { name: "dag" };
  const flow = entrypoint(options, async () => {
    const done = [];
    for (const [number, above] of parents.entries()) {
      done[number] =
        above.length === 0 ? step(number) : Promise.all(above.map((parent) => done[parent])).then(() => step(number));
    }
    await Promise.all(done);
    return null;
  });
  let thread = 0;
  return () => flow.invoke({}, { configurable: { thread_id: String(thread++) } });
}

const beforeBuild = performance.now();
const once = await peers[peer]();
const buildMs = performance.now() - beforeBuild;
const times = [];
const fits = () => performance.now() - beforeBuild + (times.at(-1) ?? 0) < Number(seconds) * 1_000;
for (let round = 0; round === 0 || (round < Number(rounds) && fits()); round++) {
  const began = performance.now();
  await once();
  times.push(performance.now() - began);
}
times.sort((a, b) => a - b);
process.stdout.write(
  JSON.stringify({
    ms: times[times.length >> 1],
    build_ms: buildMs,
    rss_mb: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
process.exit(0);

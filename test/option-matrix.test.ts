import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as a2a from "@planloom/a2a";
import * as bench from "@planloom/bench";
import * as controller from "@planloom/controller";
import * as controllerTesting from "@planloom/controller/testing";
import * as embedded from "@planloom/embedded";
import * as local from "@planloom/local";
import * as mcp from "@planloom/mcp";
import * as mcpServer from "@planloom/mcp-server";
import * as optimizer from "@planloom/optimizer";
import * as otel from "@planloom/otel";
import * as page from "@planloom/page";
import * as plans from "@planloom/plan";
import * as planner from "@planloom/planner";
import * as postgres from "@planloom/postgres";
import * as runtime from "@planloom/runtime";
import * as server from "@planloom/server";
import { MockLanguageModelV4 } from "ai/test";
import * as facade from "planloom";
import * as dispatch from "planloom/dispatch";
import * as planTools from "planloom/plan-tools";
import * as planning from "planloom/planning";
import * as schedules from "planloom/schedules";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { optionTakers, takersOf } from "./support/option-takers.ts";

/** How something that takes options is called, and the options that it needs. */
interface Taker {
  /** Whatever it gives is closed where it can be closed. */
  call(options: never): unknown;
  readonly needed?: Readonly<Record<string, unknown>>;
  /** Options that are any value, or are looked at only when they are used. */
  readonly unjudged?: readonly string[];
}

let folder: string;
const file = (name: string) => join(folder, name);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-options-"));
  await writeFile(file("plan.json"), plans.formatPlan(plan));
  await writeFile(file("tiny.gguf"), "GGUF");
});
afterAll(() => rm(folder, { recursive: true }));

const tool = runtime.defineTool({ id: "t", description: "does it", readOnly: true, execute: () => 1 });
const toolExecutor = runtime.toolExecutor([tool]);
const executors = [toolExecutor];
const plan = plans.TaskData.parse({
  task_id: "p",
  planned_tasks: [{ task_id: "a", execution_type: "tool", tool_id: "t" }],
});
const resources = toolExecutor.resources();
const noWords = { arguments: {}, provenance: {}, description: "" };
const catalogue = plans.resourceCatalogue(resources);
const view = plans.planView(plan);
const environment = optimizer.completeEnvironment(view);
const partition = optimizer.fromLabels(Int32Array.of(0));
const brain = new embedded.EmbeddedController();
const model = controllerTesting.scriptedModel(Array.from({ length: 500 }, () => "done"));
const scripted = { model } as const;
const patchOf = () => plans.draftPatch(plan, { tasks: [] }).patch as never;
const subgraph = { subgraph_id: "s", tasks: plan.planned_tasks, dependencies: [] };
const planloom = new facade.Planloom({ tools: [tool] });
const ended = runtime.memoryJournal();
const keptRun = runtime.run(plan, { executors, journal: ended, runId: "r" });
const ofJournal = { journal: ended } as const;
const endpoint = { url: "http://127.0.0.1:9" };
const described = { id: "x", description: "x" };

const emptyReport = bench.makeReport({ rows: [], provenance: bench.reportProvenance({ workloads: [] }) });

const takers: Readonly<Record<string, Taker>> = {
  "@planloom/bench adversarialSearch": {
    call: (options) => bench.adversarialSearch(options),
    needed: { strategies: ["single", "per-task"], workers: 1, restarts: 1, steps: 1 },
  },
  "@planloom/bench exampleFigures": { call: (options) => bench.exampleFigures([], [], [], options) },
  "@planloom/bench loadWorkloadPlans": { call: (options) => bench.loadWorkloadPlans(file("plan.json"), options) },
  "@planloom/bench loadWorkloads": { call: (options) => bench.loadWorkloads(file("plan.json"), options) },
  "@planloom/bench onlineTable": {
    call: (options) => bench.onlineTable(options),
    needed: { workloads: [bench.generateWorkload("chain", 2, 1)], loads: [0.5], runs: 1, draws: 1 },
    unjudged: ["workloads", "loads", "overheadMs"],
  },
  "@planloom/bench poissonArrivals": {
    call: (options) => bench.poissonArrivals([bench.generateWorkload("chain", 2, 1)], options),
    needed: { load: 0.5, executors: 1, overheadMs: 0, count: 1, seed: 1 },
    unjudged: ["overheadMs", "seed", "slack"],
  },
  "@planloom/bench readTaskLines": {
    call: (options) => bench.readTaskLines([Buffer.from(`{"id":"a","runtime":1}`)], options),
  },
  "@planloom/bench simulateOnline": {
    call: (options) => bench.simulateOnline([], options),
    needed: { executors: 1, overheadMs: 0, policy: "fair" },
  },
  "@planloom/bench verifyReport": {
    call: (options) => bench.verifyReport(emptyReport, options),
    unjudged: ["sample"],
  },
  "@planloom/bench optimizerLab": {
    call: (options) => bench.optimizerLab(options),
    // Aborted, since all of it takes seconds.
    needed: { workloads: [], quick: true, signal: AbortSignal.abort(new Error("enough")) },
  },
  "@planloom/bench runBench": { call: (options) => bench.runBench(options), needed: { workloads: [] } },
  "@planloom/controller controllerService": {
    call: (options) => controller.controllerService(options),
    needed: { controller: brain },
  },
  "@planloom/controller HttpController": {
    call: (options) => new controller.HttpController(options),
    needed: endpoint,
  },
  "@planloom/controller HybridController": {
    call: (options) => new controller.HybridController(options),
    needed: { draft: brain, refine: brain },
  },
  "@planloom/controller LlmController": { call: (options) => new controller.LlmController(options), needed: scripted },
  "@planloom/controller fromAiSdk": { call: (options) => controller.fromAiSdk(new MockLanguageModelV4(), options) },
  "@planloom/controller openaiEncoder": {
    call: (options) => controller.openaiEncoder(options),
    needed: { baseURL: endpoint.url, model: "m" },
  },
  "@planloom/controller openaiModel": {
    call: (options) => controller.openaiModel(options),
    needed: { baseURL: endpoint.url, model: "m" },
  },
  "@planloom/controller planAnswerSchema": { call: (options) => controller.planAnswerSchema(resources, options) },
  "@planloom/controller readOutput": { call: (options) => controller.readOutput("{}", options), unjudged: ["schema"] },
  "@planloom/controller/testing scriptedModel": { call: (options) => controllerTesting.scriptedModel([], options) },
  "@planloom/controller/testing startChatServer": { call: (options) => controllerTesting.startChatServer([], options) },
  "@planloom/embedded EmbeddedController": { call: (options) => new embedded.EmbeddedController(options) },
  "@planloom/embedded MemoryController": {
    call: (options) => new embedded.MemoryController(options),
    needed: { controller: brain, remembered: async () => [] },
  },
  "@planloom/embedded adaptPlan": { call: (options) => embedded.adaptPlan([], "Use t", resources, options) },
  "@planloom/embedded argumentsFor": {
    call: (options) => embedded.argumentsFor("Use t", resources[0]!, options),
  },
  "@planloom/embedded encodeGoal": {
    call: (options) => embedded.encodeGoal("Use t", resources, async () => [], options),
  },
  "@planloom/embedded mapKeyword": { call: (options) => embedded.mapKeyword("today", resources, options) },
  "@planloom/embedded planGoal": { call: (options) => embedded.planGoal("Use t", resources, options) },
  "@planloom/embedded resolveTemporal": { call: (options) => embedded.resolveTemporal("today", options) },
  "@planloom/a2a agentHandler": { call: (options) => a2a.agentHandler(new facade.Planloom(), options) },
  "@planloom/a2a serveAgent": {
    call: (options) => a2a.serveAgent(new facade.Planloom(), options),
    needed: { port: 0 },
  },
  "@planloom/a2a connectAgents": { call: (options) => a2a.connectAgents({}, options) },
  "@planloom/a2a a2aDispatcher": { call: async (options) => a2a.a2aDispatcher(await a2a.connectAgents({}), options) },
  "@planloom/local localModel": {
    call: (options) => local.localModel(options),
    // The folder is made before the first test.
    needed: {
      get path() {
        return file("tiny.gguf");
      },
    },
  },
  "@planloom/local pullModel": {
    call: (options) => local.pullModel(options),
    needed: { url: "https://127.0.0.1:1/x.gguf", folder: join(tmpdir(), "planloom-no-models") },
  },
  "@planloom/postgres PostgresJournal.open": {
    call: (options) => postgres.PostgresJournal.open("postgres://127.0.0.1:1/none", options),
    needed: { patienceMs: 0 },
  },
  // Options are looked at before the journal.
  "@planloom/postgres postgresDispatcher": { call: (options) => postgres.postgresDispatcher({} as never, options) },
  "@planloom/postgres postgresWorker": {
    call: (options) => postgres.postgresWorker({} as never, options),
    needed: { executors },
  },
  "@planloom/postgres embeddedPostgres": {
    call: (options) => postgres.embeddedPostgres(options),
    needed: { folder: join(tmpdir(), "planloom-no-folder", "database") },
  },
  "@planloom/mcp-server planServer": { call: (options) => mcpServer.planServer(new facade.Planloom(), options) },
  "@planloom/mcp-server serveMcpHttp": {
    call: (options) => mcpServer.serveMcpHttp(new facade.Planloom(), options),
    needed: { port: 0 },
  },
  "@planloom/mcp-server serveMcpStdio": { call: (options) => mcpServer.serveMcpStdio(new facade.Planloom(), options) },
  "@planloom/mcp connectMcpServers": { call: (options) => mcp.connectMcpServers({ mcpServers: {} }, options) },
  "@planloom/otel openTelemetry": { call: (options) => otel.openTelemetry(options), unjudged: ["environment"] },
  "@planloom/optimizer ManualOptimizer": { call: (options) => new optimizer.ManualOptimizer(options) },
  "@planloom/optimizer OptimizationPlanner": {
    call: (options) => new optimizer.OptimizationPlanner(options),
    needed: scripted,
  },
  "@planloom/optimizer OptimizationPlanner.generateSubgraphs": {
    call: (options) => new optimizer.OptimizationPlanner(scripted).generateSubgraphs(plan, options),
  },
  "@planloom/optimizer OptimizationPlanner.optimize": {
    call: (options) => new optimizer.OptimizationPlanner(scripted).optimize(plan, options),
  },
  "@planloom/optimizer assess": { call: (options) => optimizer.assess(plan, [subgraph], options) },
  "@planloom/optimizer completeEnvironment": { call: (options) => optimizer.completeEnvironment(view, options) },
  "@planloom/optimizer makespan": { call: (options) => optimizer.makespan(view, environment, partition, options) },
  "@planloom/optimizer measure": { call: (options) => optimizer.measure(view, environment, partition, options) },
  "@planloom/optimizer paretoFront": {
    call: (options) => optimizer.paretoFront(view, environment, options),
    needed: { seed: 0, deadlineMs: 10 },
  },
  "@planloom/optimizer robustStrategy": { call: (options) => optimizer.robustStrategy(options) },
  "@planloom/optimizer simulate": { call: (options) => optimizer.simulate(view, environment, partition, options) },
  "@planloom/page collectPageData": {
    call: (options) => page.collectPageData("r", options),
    needed: { journal: runtime.memoryJournal() },
  },
  "@planloom/plan applyPatch": { call: (options) => plans.applyPatch(plan, patchOf(), options) },
  "@planloom/plan draftPatch": { call: (options) => plans.draftPatch(plan, { tasks: [] }, options) },
  "@planloom/plan splitElements": { call: (options) => plans.splitElements(plan, ["a[0]"], options) },
  "@planloom/plan formatPlan": { call: (options) => plans.formatPlan(plan, options) },
  "@planloom/plan loadPlan": { call: (options) => plans.loadPlan(file("plan.json"), options) },
  "@planloom/plan makeFolder": { call: (options) => plans.makeFolder(file("made"), options) },
  "@planloom/plan parsePlanText": { call: (options) => plans.parsePlanText(plans.formatPlan(plan), options) },
  "@planloom/plan readPlan": { call: (options) => plans.readPlan(plan, options) },
  "@planloom/plan renderAscii": { call: (options) => plans.renderAscii(plan, options), unjudged: ["colour"] },
  "@planloom/plan renderDiff": { call: (options) => plans.renderDiff(plans.diffPlans(plan, plan), options) },
  "@planloom/plan renderDot": { call: (options) => plans.renderDot(plan, options) },
  "@planloom/plan renderMermaid": { call: (options) => plans.renderMermaid(plan, options) },
  "@planloom/plan savePlan": { call: (options) => plans.savePlan(plan, file("saved.json"), options) },
  "@planloom/plan validatePlan": { call: (options) => plans.validatePlan(plan, resources, options) },
  "@planloom/plan verifyPatch": { call: (options) => plans.verifyPatch(plan, patchOf(), options) },
  "@planloom/planner AgentsPlanner": {
    call: (options) => new planner.AgentsPlanner(options),
    needed: { controller: brain },
  },
  "@planloom/planner AgentsPlanner.createPlan": {
    call: (options) => new planner.AgentsPlanner({ controller: brain }).createPlan({}, options),
  },
  "@planloom/planner DSLPlanner": { call: (options) => new planner.DSLPlanner(options), needed: { controller: brain } },
  "@planloom/planner DSLPlanner.createPlan": {
    call: (options) => new planner.DSLPlanner({ controller: brain }).createPlan({}, options),
  },
  "@planloom/planner LLMSelectorPlanner": {
    call: (options) => new planner.LLMSelectorPlanner(options),
    needed: { controller: brain },
  },
  "@planloom/planner LLMSelectorPlanner.createPlan": {
    call: (options) => new planner.LLMSelectorPlanner({ controller: brain }).createPlan({}, options),
  },
  "@planloom/planner Planner": { call: (options) => new planner.Planner(options), needed: { controller: brain } },
  "@planloom/planner Planner.createPlan": {
    call: (options) => new planner.Planner({ controller: brain, resources }).createPlan("Use t", options),
  },
  "@planloom/planner SubGraphRePlanner": {
    call: (options) => new planner.SubGraphRePlanner(options),
    needed: { controller: brain },
    unjudged: ["resources"],
  },
  "@planloom/planner SubGraphRePlanner.replaceReplanTasks": {
    call: (options) => new planner.SubGraphRePlanner({ controller: brain }).replaceReplanTasks(subgraph, options),
  },
  "@planloom/planner ToolsPlanner": {
    call: (options) => new planner.ToolsPlanner(options),
    needed: { controller: brain },
  },
  "@planloom/planner ToolsPlanner.createPlan": {
    call: (options) => new planner.ToolsPlanner({ controller: brain }).createPlan({}, options),
  },
  "@planloom/planner answerPlan": { call: (options) => planner.answerPlan(plan, {}, catalogue, options) },
  "@planloom/planner bindWith": {
    call: (options) => planner.bindWith(options),
    needed: { controller: brain, resources },
  },
  "@planloom/planner chooseTools": {
    call: (options) => planner.chooseTools(plan, {}, catalogue, () => noWords, options),
  },
  "@planloom/planner judgePlan": { call: (options) => planner.judgePlan(plan, catalogue, options) },
  "@planloom/planner readPlanReply": { call: (options) => planner.readPlanReply(plan, options) },
  "@planloom/planner replanWith": {
    call: (options) => planner.replanWith(options),
    needed: { controller: brain },
    unjudged: ["resources"],
  },
  "@planloom/runtime PlanAndExecuteL2": {
    call: (options) => new runtime.PlanAndExecuteL2(options),
    needed: { executors, task: { execution_type: "l2_task", parameters: { sub_type: "tool" } } },
  },
  "@planloom/runtime PlanAndExecuteL2.executeModule": {
    call: (options) =>
      new runtime.PlanAndExecuteL2({
        executors,
        task: { execution_type: "tool", tool_id: "t" },
      }).executeModule({}, options),
  },
  "@planloom/runtime SharedLimits": {
    call: (options) => new runtime.SharedLimits(options),
    unjudged: ["journal"],
  },
  "@planloom/runtime SqliteJournal.listRuns": {
    call: async (options) => {
      await using journal = await closing(runtime.SqliteJournal.open(":memory:"));
      return journal.value.listRuns(options);
    },
  },
  "@planloom/runtime SqliteJournal.open": { call: (options) => runtime.SqliteJournal.open(":memory:", options) },
  "@planloom/runtime approve": {
    call: (options) => runtime.approve("r", "a", options),
    needed: ofJournal,
    unjudged: ["input"],
  },
  "@planloom/runtime claimDueRuns": { call: (options) => runtime.claimDueRuns(options), needed: ofJournal },
  "@planloom/runtime cancelRun": { call: (options) => runtime.cancelRun("r", options), needed: ofJournal },
  "@planloom/runtime childProcessDispatcher": {
    call: (options) => runtime.childProcessDispatcher(options),
    needed: { module: "/nowhere.js" },
  },
  "@planloom/runtime defineAgent": {
    call: (options) => runtime.defineAgent(options),
    needed: { ...described, send: () => ({ success: true }) },
  },
  "@planloom/runtime defineLlm": { call: (options) => runtime.defineLlm(options), needed: described },
  "@planloom/runtime defineTool": {
    call: (options) => runtime.defineTool(options),
    needed: { ...described, execute: () => 1 },
  },
  "@planloom/runtime defineWorkflow": {
    call: (options) => runtime.defineWorkflow(options),
    needed: { ...described, plan },
    unjudged: ["outputSchema"],
  },
  "@planloom/runtime deny": { call: (options) => runtime.deny("r", "a", options), needed: ofJournal },
  "@planloom/runtime dryRun": { call: (options) => runtime.dryRun(plan, options), needed: { executors } },
  "@planloom/runtime evaluateExpression": { call: (options) => runtime.evaluateExpression("1", {}, options) },
  "@planloom/runtime fork": { call: (options) => runtime.fork("r", "a", options), needed: { ...ofJournal, executors } },
  "@planloom/runtime learnBehaviours": { call: (options) => runtime.learnBehaviours(ended, options) },
  "@planloom/runtime ledByModel": {
    call: (options) => runtime.ledByModel(toolExecutor, options),
    needed: scripted,
  },
  "@planloom/runtime markTasks": { call: (options) => runtime.markTasks("r", ["a"], options), needed: ofJournal },
  "@planloom/runtime memoryCache": { call: (options) => runtime.memoryCache(options) },
  "@planloom/runtime memoryJournal": { call: (options) => runtime.memoryJournal(options) },
  "@planloom/runtime modelExecutor": { call: (options) => runtime.modelExecutor(options), needed: scripted },
  "@planloom/runtime modelPlanner": { call: (options) => runtime.modelPlanner(options), needed: scripted },
  "@planloom/runtime modelReplanner": { call: (options) => runtime.modelReplanner(options), needed: scripted },
  "@planloom/runtime planExecute": {
    call: (options) => runtime.planExecute("x", options),
    needed: { executors, ...scripted },
  },
  "@planloom/runtime planExecuteAgent": { call: (options) => runtime.planExecuteAgent(options), needed: scripted },
  "@planloom/runtime pruneRuns": { call: (options) => runtime.pruneRuns(options), needed: { ...ofJournal, keep: 10 } },
  "@planloom/runtime recordedWorkload": {
    call: (options) => runtime.recordedWorkload(ended, options),
  },
  "@planloom/runtime recordedPlan": { call: (options) => runtime.recordedPlan("r", options), needed: ofJournal },
  "@planloom/runtime replay": { call: (options) => runtime.replay("r", options), needed: ofJournal },
  "@planloom/runtime resume": { call: (options) => runtime.resume("r", options), needed: { ...ofJournal, executors } },
  "@planloom/runtime resumeDue": {
    call: (options) => runtime.resumeDue(options),
    needed: { ...ofJournal, executors },
  },
  "@planloom/runtime signal": {
    call: (options) => runtime.signal("r", "e", options),
    needed: ofJournal,
    unjudged: ["data"],
  },
  "@planloom/runtime resumePlanExecute": {
    call: (options) => runtime.resumePlanExecute("r", options),
    needed: { ...ofJournal, executors, ...scripted },
  },
  "@planloom/runtime reviseRun": {
    call: (options) => runtime.reviseRun("r", patchOf(), options),
    needed: ofJournal,
  },
  "@planloom/runtime run": { call: (options) => runtime.run(plan, options), needed: { executors } },
  "@planloom/runtime runStatus": { call: (options) => runtime.runStatus("r", options), needed: ofJournal },
  "@planloom/runtime supplyOutput": {
    call: (options) => runtime.supplyOutput("r", "a", 1, options),
    needed: ofJournal,
  },
  "@planloom/runtime waitingFor": { call: (options) => runtime.waitingFor("r", options), needed: ofJournal },
  "@planloom/runtime waitingRuns": { call: (options) => runtime.waitingRuns(options), needed: ofJournal },
  "@planloom/runtime watchRun": {
    call: (options) => runtime.watchRun("r", options),
    needed: { ...ofJournal, listener: () => {} },
  },
  "@planloom/runtime estimatePlan": { call: (options) => runtime.estimatePlan(plan, options), needed: { executors } },
  "@planloom/runtime whatIf": { call: (options) => runtime.whatIf(plan, options), needed: { executors, samples: 1 } },
  "@planloom/server createServer": { call: (options) => server.createServer(new facade.Planloom(), options) },
  "@planloom/server memoryStore": { call: (options) => server.memoryStore(options) },
  "@planloom/server sqliteStore": { call: (options) => server.sqliteStore(":memory:", options) },
  "@planloom/server serve": {
    call: (options) => server.serve(new facade.Planloom(), options),
    needed: { port: 0 },
  },
  "planloom Planloom": { call: (options) => new facade.Planloom(options) },
  "planloom Planloom.answer": { call: (options) => planloom.answer(plan, {}, options) },
  "planloom Planloom.callTool": { call: (options) => planloom.callTool("t", {}, options) },
  "planloom Planloom.close": {
    call: (options) => new facade.Planloom().close(options),
  },
  "planloom Planloom.draft": { call: (options) => planloom.draft("Use t", options) },
  "planloom Planloom.dryRun": { call: (options) => planloom.dryRun(plan, options) },
  "planloom Planloom.fork": { call: (options) => planloom.fork("r", "a", options) },
  "planloom Planloom.estimate": { call: (options) => planloom.estimate(plan, options) },
  "planloom Planloom.graph": { call: (options) => planloom.graph(plan, options) },
  "planloom Planloom.optimize": { call: (options) => planloom.optimize(plan, options) },
  "planloom/planning PlanMemory": {
    call: (options) => new planning.PlanMemory(options),
    needed: { journal: async () => ended },
  },
  "planloom/dispatch workerLimits": {
    call: async (options) => dispatch.workerLimits(options, {} as never),
    unjudged: ["journal"],
  },
  "planloom/dispatch workerParts": { call: (options) => dispatch.workerParts(options), unjudged: ["journal"] },
  "planloom Planloom.plan": { call: (options) => planloom.plan("Use t", options) },
  "planloom Planloom.planExecute": { call: (options) => planloom.planExecute("x", options), needed: scripted },
  "planloom Planloom.planExecuteStream": {
    call: async (options) => planloom.planExecuteStream("x", options).result,
    needed: scripted,
  },
  "planloom Planloom.planStream": { call: async (options) => planloom.planStream("Use t", options).plan },
  "planloom Planloom.replan": { call: (options) => planloom.replan(plan, options), needed: { mark: ["a"] } },
  "planloom Planloom.resume": { call: (options) => planloom.resume("r", options) },
  "planloom Planloom.resumeDue": { call: (options) => planloom.resumeDue(options) },
  "planloom Planloom.scheduler": {
    call: async (options) => {
      const closed = new facade.Planloom({ journal: runtime.memoryJournal() });
      await Promise.all([closed.scheduler(options), closed.close()]);
    },
  },
  "planloom Planloom.schedule": {
    call: (options) => planloom.schedule(plan, options),
    needed: { cron: "0 9 * * *" },
  },
  "planloom/schedules runScheduler": {
    call: (options) =>
      schedules.runScheduler(options as never, {
        journal: runtime.memoryJournal(),
        signal: AbortSignal.abort(),
        schedules: undefined,
        resume: () => Promise.reject(new Error("never called")),
        start: () => Promise.reject(new Error("never called")),
        notify: () => {},
      }),
  },
  "planloom/schedules Schedules.add": {
    call: async (options) => (await schedules.Schedules.open(runtime.memoryJournal())).add(plan as never, options),
    needed: { cron: "0 9 * * *" },
  },
  "planloom Planloom.signal": {
    call: (options) => planloom.signal("r", "e", options),
    unjudged: ["data"],
  },
  "planloom Planloom.resumePlanExecute": {
    call: (options) => planloom.resumePlanExecute("r", options),
    needed: scripted,
  },
  "planloom Planloom.run": { call: (options) => planloom.run(plan, options) },
  "planloom Planloom.stream": { call: async (options) => planloom.stream(plan, options).result },
  "planloom Planloom.subscribe": { call: (options) => planloom.subscribe("r", options) },
  "planloom answerTask": { call: (options) => facade.answerTask(plan, options) },
  "planloom defineConfig": { call: (options) => facade.defineConfig(options) },
  "planloom/plan-tools handlePlanCommand": {
    call: (options) => planTools.handlePlanCommand("list", options),
    needed: { planloom, plans: facade.memoryPlans() },
  },
  "planloom/plan-tools handlePlanTool": {
    call: (options) => planTools.handlePlanTool("plan_create", { goal: "Use t" }, options),
    needed: { planloom },
  },
  "planloom/planning PlanService": {
    call: (options) => new planning.PlanService(options),
    needed: { controller: brain, executors },
  },
  "planloom/planning PlanService.answer": {
    call: (options) => new planning.PlanService({ controller: brain, executors }).answer(plan, {}, options),
  },
  "planloom/planning PlanService.plan": {
    call: (options) => new planning.PlanService({ controller: brain, executors }).plan("Use t", options),
  },
};

const port = "a method of a port: whoever calls it may be newer than whoever implements it, and passes more";
const inner = "called for every reference, value or cell by our own packages, whose calls the compiler checks";
const ofOurs = "for our own packages alone, whose calls the compiler checks";

/** What takes options and lets any pass, and why. */
const exempt: Readonly<Record<string, string>> = {
  "@planloom/bench environmentName": "writes down what `completeEnvironment` has checked",
  "@planloom/controller HttpController.processPhase1": port,
  "@planloom/controller HttpController.processPhase2": port,
  "@planloom/controller HybridController.processPhase1": port,
  "@planloom/controller HybridController.processPhase2": port,
  "@planloom/controller LlmController.processPhase1": port,
  "@planloom/controller LlmController.processPhase2": port,
  "@planloom/embedded EmbeddedController.processPhase1": port,
  "@planloom/embedded EmbeddedController.processPhase2": port,
  "@planloom/runtime SqliteJournal.claimDueRuns": port,
  "@planloom/runtime SqliteJournal.openRun": port,
  "@planloom/embedded MemoryController.processPhase1": port,
  "@planloom/embedded MemoryController.processPhase2": port,
  "planloom/schedules approvalOf": "adds up what `runScheduler` and the schedule have checked",
  "@planloom/server/client createClient": "loads nothing of the library, since it may be part of a page",
  "@planloom/runtime SqliteJournal.deleteRun": port,
  "@planloom/runtime SqliteJournal.findRuns": port,
  "@planloom/runtime SqliteJournal.getAnswers": port,
  "@planloom/runtime SqliteJournal.getEvents": port,
  "@planloom/postgres PostgresJournal.claimDueRuns": port,
  "@planloom/postgres PostgresJournal.deleteRun": port,
  "@planloom/postgres PostgresJournal.findRuns": port,
  "@planloom/postgres PostgresJournal.getAnswers": port,
  "@planloom/postgres PostgresJournal.getEvents": port,
  "@planloom/postgres PostgresJournal.listRuns":
    "needs a server; its options are read by what reads those of SqliteJournal.listRuns",
  "@planloom/postgres PostgresJournal.openRun": port,
  "@planloom/runtime/journal-parts checkChain": ofOurs,
  "@planloom/runtime/journal-parts planHead": ofOurs,
  "@planloom/runtime/journal-parts readListOptions": ofOurs,
  "@planloom/runtime/journal-parts runInWorker": ofOurs,
  "@planloom/runtime/journal-parts runNotFound": ofOurs,
  "@planloom/plan callbackError": "makes an error, which must not throw another",
  "@planloom/plan unknownOption": "the check itself",
  "@planloom/plan printable": inner,
  "@planloom/plan readPath": inner,
  "@planloom/plan validateStep": inner,
  "@planloom/plan validateValue": inner,
  "@planloom/optimizer/internals acyclicPartition": ofOurs,
  "@planloom/optimizer/internals candidates": ofOurs,
  "@planloom/optimizer/internals evaluate": ofOurs,
  "@planloom/plan/internals checkPlannerAgentPlan": ofOurs,
  "@planloom/plan/internals decodePlanExecute": ofOurs,
  "@planloom/plan/internals dialectError": ofOurs,
  "@planloom/plan/internals parseKirhaReply": ofOurs,
  "@planloom/plan/internals parseKirhaSteps": ofOurs,
  "@planloom/plan/internals readKirhaSteps": ofOurs,
};

test("whatever takes options by the API reports is in the matrix, or is exempt for a reason", () => {
  expect([...Object.keys(takers), ...Object.keys(exempt)].sort()).toEqual(optionTakers());
});

test("what takes options is found by names and types of parameters, constructors and methods too", () => {
  const code = [
    "export declare function named(options: unknown): void;",
    "export declare function typed(a: string, how?: Partial<Omit<HowOptions, 'x'>>): void;",
    "export declare function literal({ a }?: { a?: string }): void;",
    "export declare function data(plan: { tasks: string[] }, context: ExecutionContext): void;",
    "export declare class Box { constructor(options: BoxOptions); open(how?: Pick<A, 'b'> & { c?: number }): void; close(): void }",
    "export declare class BoxError extends Error { constructor(options: object); }",
    "export declare class Crate extends Lidded { seal(): void }",
  ].join("\n");
  const mentioned = "export declare class Lidded { lift(how?: LiftOptions): void }";
  const blocks = [code, mentioned].map((each) => `\`\`\`ts\n${each}\n\`\`\``);
  expect(takersOf(`## \`box\`\n\n${blocks.join("\n\nMentioned there, not exported:\n\n")}`)).toEqual([
    "box named",
    "box typed",
    "box literal",
    "box Box",
    "box Box.open",
    "box Crate.lift",
  ]);
});

/** What the call throws or rejects with; `undefined` where it ends well. What it opened is closed. */
async function thrownBy(
  { call, needed }: Taker,
  options: object,
): Promise<(Error & { code?: string; details?: { option?: string } }) | undefined> {
  try {
    const opened: unknown = await call({ ...needed, ...options } as never);
    const { close } = (opened ?? {}) as { close?: () => unknown };
    if (typeof close === "function") await close.call(opened);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function closing<Value extends { close(): Promise<void> }>(opened: Promise<Value>) {
  const value = await opened;
  return { value, [Symbol.asyncDispose]: () => value.close() };
}

const isOptionCode = expect.stringMatching(/_OPTION$/);
/** Unlike any option, so that the error lists those there are. */
const unlikeAny = "zzqqxxjjww";

describe.each(Object.entries(takers))("%s", (_, taker) => {
  test("refuses a name that is none, with the names there are", async () => {
    await keptRun;
    const error = await thrownBy(taker, { [unlikeAny]: 1 });
    expect(error).toMatchObject({ code: isOptionCode, details: { option: unlikeAny } });
    expect(error?.message).toContain(`Unknown option \`${unlikeAny}\` of `);
    const known = namesIn(error);
    expect(known.length).toBeGreaterThan(0);
    for (const name of ["constructor", "toString"]) {
      expect(await thrownBy(taker, { [name]: 1 })).toMatchObject({ code: isOptionCode, details: { option: name } });
    }
    const polluting = JSON.parse('{"__proto__": 1}') as object;
    expect(
      await thrownBy(
        {
          ...taker,
          needed: {},
          call: (options) =>
            taker.call(
              Object.defineProperties(
                { ...taker.needed, ...(options as object) },
                Object.getOwnPropertyDescriptors(polluting),
              ) as never,
            ),
        },
        {},
      ),
    ).toMatchObject({
      code: isOptionCode,
      details: { option: "__proto__" },
    });
  });

  test("names the nearest to a misspelt one", async () => {
    const known = namesIn(await thrownBy(taker, { [unlikeAny]: 1 }));
    const longest = known.toSorted((a, b) => b.length - a.length)[0]!;
    const error = await thrownBy(taker, { [`${longest}s`]: 1 });
    expect(error).toMatchObject({ code: isOptionCode, details: { candidates: [longest] } });
    expect(error?.message).toContain(`did you mean \`${longest}\`?`);
  });

  test("takes undefined for what is left out, and refuses a symbol", async () => {
    const known = namesIn(await thrownBy(taker, { [unlikeAny]: 1 }));
    const open = known.filter((name) => !Object.hasOwn(taker.needed ?? {}, name));
    const usual = await thrownBy(taker, {});
    const undefinedOnes = Object.fromEntries(open.map((name) => [name, undefined]));
    const error = await thrownBy(taker, { ...undefinedOnes, [unlikeAny]: undefined });
    expect([error?.code, error?.message]).toEqual([usual?.code, usual?.message]);
    for (const name of known.filter((each) => taker.unjudged?.includes(each) !== true)) {
      const refused = await thrownBy(taker, { [name]: Symbol("wrong") });
      expect(refused, name).toHaveProperty("code");
      expect(refused?.details?.option ?? refused?.message, name).toContain(name);
    }
  });
});

function namesIn(error: Error | undefined): string[] {
  return /the options are (.*)\.$/.exec(error?.message ?? "")?.[1]?.split(", ") ?? [];
}

import { LlmController, type Model, type ModelRequest } from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import { PlannerTask, type Resource, TaskData } from "@planloom/plan";
import { bindWith, Planner, SubGraphRePlanner } from "@planloom/planner";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { shop, shopOf } from "./shop.ts";

/** A request to a model as it is sent, and what it costs. */
export interface PromptText {
  readonly name: string;
  readonly what: string;
  readonly request: ModelRequest;
  /** Of the messages, by the encoding o200k. */
  readonly tokens: number;
  /** Of the schema of the answer, which some endpoints count and others compile. */
  readonly schemaTokens: number;
}

/** Speaks of each of several, and of a condition. */
export const flowGoal =
  "Create an invoice for each paid order of Ada Lovelace, and mail her if there are more than three";
/** Speaks of something that has to come first, of a time that passes, and of calls that are repeated. */
const waitsGoal =
  "When the payment arrives, mail Ada Lovelace; an hour later keep checking her orders until they are all shipped";
const goal = "Send Ada Lovelace a list of the orders that she placed since last Monday";
const present = () => new Date("2026-03-04T09:30:00Z");
const clock = { present, timeZone: "Europe/Berlin" };
const llm: Resource = { kind: "llm", id: "default", description: "Writes texts." };
const resources: readonly Resource[] = [...shop, llm];

/** Every request to a model that planning makes, over the tools of an invented shop. */
export async function promptTexts(): Promise<PromptText[]> {
  const wrong = {
    tasks: [{ task_id: "t1", tool_id: "list_order", arguments: { customer_id: "Ada" } }],
  };
  const [first, second] = await requestsOf([wrong, wrong], (model) =>
    new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 2, ...clock }).createPlan(goal),
  );
  const [flow] = await requestsOf([{}], (model) =>
    new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 1, ...clock }).createPlan(flowGoal),
  );
  const [waits] = await requestsOf([{}], (model) =>
    new Planner({ controller: new LlmController({ model }), resources, maxAttempts: 1, ...clock }).createPlan(
      waitsGoal,
    ),
  );
  const task = PlannerTask.parse({
    task_id: "t1",
    description: "List the open orders of customer 7",
    execution_type: "tool",
  });
  const [step] = await requestsOf([{}], (model) =>
    bindWith({ controller: new LlmController({ model }), resources, maxAttempts: 1, ...clock })(
      { task, input: { customer: 7 } } as never,
      { signal: new AbortController().signal } as never,
    ),
  );
  const [replan] = await requestsOf([{}], async (model) => {
    const marked = { ...task, tool_id: "list_orders", arguments: { customer_id: "Ada" }, mark_replan: true };
    const plan = { ...TaskData.parse({ task_id: "p" }), planned_tasks: [marked] };
    const failures = new Map([["t1", { code: "NOT_FOUND", message: "There is no customer Ada." }]]);
    const controller = new LlmController({ model });
    await new SubGraphRePlanner({ controller, resources, maxAttempts: 1, ...clock }).replaceReplanTasks(
      { subgraph_id: "s", tasks: [marked], dependencies: [] } as never,
      { plan, failures } as never,
    );
  });
  const rightAway = {
    tasks: [{ task_id: "t1", for: "orders", tool_id: "stock_level", arguments: { product: "orders" } }],
  };
  const [, verify] = await requestsOf([rightAway, {}], (model) => {
    const controller = new LlmController({ model: { ...model, tellsTokens: true }, verify: "always" });
    return new Planner({ controller, resources, maxAttempts: 1, ...clock }).createPlan(goal);
  });
  return [
    textOf("plan", "Stage 1: a plan for a goal, with five tools and a model.", first!),
    textOf("plan-again", "The same after an answer that was not valid.", second!),
    textOf(
      "plan-flow",
      "Stage 1 for a goal that speaks of each of several and of a condition: a task may have `each` and `when`.",
      flow!,
    ),
    textOf("plan-waits", "Stage 1 for a goal that speaks of waiting and of calls that are repeated.", waits!),
    textOf(
      "verify",
      "Whether the calls of a plan do what the goal asks for: one token, of which the likelihoods count.",
      verify!,
    ),
    textOf("step", "Stage 2: the resource and the input of one task.", step!),
    textOf("replan", "A task that failed is to be replaced.", replan!),
  ];
}

/** The request of Stage 1 with as many tools. */
export async function planPrompt(count: number, query = goal): Promise<PromptText> {
  const [request] = await requestsOf([{}], (model) =>
    new Planner({
      controller: new LlmController({
        model,
        rules: new EmbeddedController({ now: present, timeZone: clock.timeZone }),
      }),
      resources: shopOf(count),
      maxAttempts: 1,
      ...clock,
    }).createPlan(query),
  );
  return textOf(`plan-${count}`, `Stage 1 with ${count} tools.`, request!);
}

/** What a model is sent while `use` asks it; the answers are scripted, and what comes of them does not matter here. */
async function requestsOf(
  answers: readonly unknown[],
  use: (model: Model) => Promise<unknown>,
): Promise<ModelRequest[]> {
  const requests: ModelRequest[] = [];
  const model: Model = {
    name: "recorded",
    async generate(request) {
      requests.push(request);
      return { text: JSON.stringify(answers[requests.length - 1] ?? {}), toolCalls: [] };
    },
  };
  await use(model).catch(() => undefined);
  return requests;
}

function textOf(name: string, what: string, request: ModelRequest): PromptText {
  const tokens = request.messages.reduce((sum, { content }) => sum + countTokens(content), 0);
  const schemaTokens = request.schema === undefined ? 0 : countTokens(JSON.stringify(request.schema.schema));
  return { name, what, request, tokens, schemaTokens };
}

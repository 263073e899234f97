import { exitLoop, type LoopEvent, planExecute } from "@planloom/runtime";

type Act = { readonly error?: string; readonly action?: "exit" };
type Chosen = { readonly plan: string[] } | { readonly respond: unknown };
interface Input {
  readonly planner?: (string | Act)[];
  readonly executor?: (string | Act)[];
  readonly replanner?: (Chosen | Act)[];
  readonly maxIterations?: number;
  readonly steps?: number;
}
function say<Answer>(said: Answer) {
  const { error, action } = Object(said) as Act;
  if (error !== undefined) throw new Error(error);
  return action === "exit" ? exitLoop() : said;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal }) => {
  const many = Array.from({ length: input.steps ?? 0 }, (_, index) => `step ${"i".repeat(index + 1)}`);
  const { planner = many, executor = [], replanner = [], maxIterations: maxRounds } = input;
  const [executed, asked, heard]: [string[], unknown[], LoopEvent[]] = [[], [], []];
  const { session, rounds, response, error } = await planExecute("Go", {
    ...{ executors: [], maxRounds, signal, onEvent: (event: LoopEvent) => void heard.push(event) },
    ...(input.steps !== undefined && { replanWhen: "failure" as const }),
    planner: () => planner.map((said) => String(say(said))),
    executor: ({ step }) => say(executor[executed.push(step) - 1] ?? "r"),
    replanner: ({ Plan }) => say(replanner[asked.push(Plan) - 1] as Chosen),
  });
  const broke = heard.flatMap((e) => (e.type === "loop-action" && "breakLoop" in e.action ? [e.action.breakLoop] : []));
  const events = heard.flatMap((event) => {
    if (event.type === "loop-plan") return [`${event.agent}:plan`];
    if (event.type === "loop-step") return [`executor:${event.executed.result}`];
    return event.type === "loop-action" ? ["replanner:respond", "replanner:breakLoop"] : [];
  });
  const calls = { executorCalls: executed.length, replannerCalls: asked.length, iterations: rounds, answer: response };
  const steps = { executedSteps: session.ExecutedSteps, finalPlan: session.Plan?.steps, breakLoop: broke[0], events };
  const modelCallsAtLeast = 1 + executed.length + asked.length;
  return { ...calls, ...steps, modelCallsAtLeast, lastEvent: events.at(-1), error: error && new Error(error.message) };
};
export default adapter;

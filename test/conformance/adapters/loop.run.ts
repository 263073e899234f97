import { exitLoop, type LoopEvent, planExecute } from "@planloom/runtime";

type Said = string | { readonly error?: string; readonly action?: "exit" };
interface Input {
  readonly planner?: Said[];
  readonly executor?: Said[];
  readonly replanner?: ({ plan: string[] } | { respond: unknown })[];
  readonly maxIterations?: number;
  readonly steps?: number;
}

function say(said: Said) {
  if (typeof said === "object" && said.error !== undefined) throw new Error(said.error);
  return typeof said === "string" ? said : exitLoop();
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
    replanner: ({ Plan }) => replanner[asked.push(Plan) - 1] as { plan: string[] },
  });
  const broke = heard.flatMap((e) => (e.type === "loop-action" && "breakLoop" in e.action ? [e.action.breakLoop] : []));
  const events = heard.flatMap((event) => {
    if (event.type === "loop-plan") return [`${event.agent}:plan`];
    if (event.type === "loop-step") return [`executor:${event.executed.result}`];
    return event.type === "loop-action" ? ["replanner:respond", "replanner:breakLoop"] : [];
  });
  const calls = { executorCalls: executed.length, replannerCalls: asked.length, iterations: rounds, answer: response };
  const steps = { executedSteps: session.ExecutedSteps, finalPlan: session.Plan?.steps, breakLoop: broke[0], events };
  const ends = { modelCallsAtLeast: 1 + executed.length + asked.length, lastEvent: events.at(-1) };
  return { ...calls, ...steps, ...ends, error: error && new Error(error.message) };
};
export default adapter;

import { type LoopEvent, modelReplanner, planExecute } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly session: { readonly Plan?: string[]; readonly ExecutedStep?: string; readonly UserInput?: string[] };
  readonly model: { readonly content?: string; readonly toolCalls?: { name: string; arguments: string }[] };
}

/** One round: planner and executor give what the session has, the replanner is a model that says the same each time. */
const adapter: ConformanceAdapter<Input> = async ({ session: given, model }, { signal }) => {
  const reply = { text: model.content ?? "", toolCalls: (model.toolCalls ?? []).map((call) => ({ id: "1", ...call })) };
  const events: unknown[] = [];
  const onEvent = (event: LoopEvent) => {
    if (!("agent" in event) || event.agent !== "replanner") return;
    if (event.type === "loop-message") events.push({ agent: event.agent, content: event.content });
    // The second one is the loop's: it has heard it.
    if (event.type === "loop-action" && "breakLoop" in event.action && !event.action.breakLoop.done)
      events.push({ agent: event.agent, action: event.action });
  };
  const result = await planExecute(given.UserInput ?? [""], {
    executors: [],
    planner: () => given.Plan ?? [],
    executor: () => given.ExecutedStep,
    replanner: modelReplanner({ model: scriptedModel([reply, reply, reply]) }),
    maxRounds: 1,
    signal,
    onEvent,
  });
  const session = { ...result.session, Plan: result.session.Plan?.steps };
  const error = result.end_reason === "failed" ? new Error(result.error?.message) : undefined;
  return { events, session, ...(error !== undefined && { throws: error }) };
};
export default adapter;

import { type LoopSession, modelPlanner, type RoleContext } from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly mode: string;
  readonly userInput?: string[];
  readonly model: { readonly content?: string; readonly toolCalls?: { name: string; arguments: string }[] };
}

/** A planner on its own; a model that says the same each time it is asked. */
const adapter: ConformanceAdapter<Input> = async ({ mode, userInput = [], model }, { signal }) => {
  const reply = { text: model.content ?? "", toolCalls: (model.toolCalls ?? []).map((call) => ({ id: "1", ...call })) };
  const scripted = scriptedModel([reply, reply, reply]);
  const planner = modelPlanner(mode === "formatted output" ? { formattedModel: scripted } : { model: scripted });
  const events: unknown[] = [];
  const emit: RoleContext["emit"] = (event) => {
    if (event.type === "loop-message") events.push({ agent: event.agent, content: event.content });
  };
  const before: LoopSession = { UserInput: userInput, ExecutedSteps: [] };
  try {
    const plan = await planner(before, { signal, emit });
    const session = { UserInput: before.UserInput, Plan: "steps" in plan ? plan.steps : plan };
    return { events, session, toolChoice: scripted.requests[0]?.toolChoice === undefined ? "unset" : "forced" };
  } catch (error) {
    return { throws: error, events, session: before };
  }
};
export default adapter;

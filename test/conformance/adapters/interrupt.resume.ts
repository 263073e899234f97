import * as runtime from "@planloom/runtime";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly planner: string[];
  readonly resume: { readonly data: string };
}

const adapter: ConformanceAdapter<Input> = async ({ planner, resume }, { signal }) => {
  const journal = runtime.memoryJournal();
  const book = runtime.defineTool({ id: "book", description: "", execute: () => "Approved action executed" });
  const call = { toolCalls: [{ id: "1", name: "book", arguments: "{}" }] };
  const executor = scriptedModel([call, ...planner.map((step) => `Done: ${step}`)]);
  const planned: unknown[] = [];
  const actions: unknown[] = [];
  const options = {
    ...{ executors: [runtime.toolExecutor([book])], journal, signal, approval: { resources: ["book"] } },
    planner: (session: unknown) => planner.slice(0, planned.push(session) * planner.length),
    executor: runtime.modelExecutor({ model: executor }),
    replanner: ({ ExecutedSteps: { length: done } }: runtime.LoopSession) =>
      done < planner.length ? { plan: planner.slice(done) } : { respond: "All done." },
    onEvent: (event: runtime.LoopEvent) => void (event.type === "loop-action" && actions.push(event.action)),
  };
  const first = await runtime.planExecute("Go", options);
  const [waiting] = first.waiting;
  const before = planned.length;
  await (resume.data === "approved" ? runtime.approve : runtime.deny)(first.run_id, waiting?.id ?? "", { journal });
  const second = await runtime.resumePlanExecute(first.run_id, options);
  const reported = executor.requests.flatMap(({ messages }) => messages.filter(({ role }) => role === "tool"));
  const interrupted = first.end_reason === "waiting_approval";
  const contexts = { contextsNonEmpty: first.waiting.length > 0, rootCauseIdPresent: typeof waiting?.id === "string" };
  const breakLoopDone = JSON.stringify(actions).includes('"done":true');
  const errors = second.end_reason === "responded" ? 0 : 1;
  const plannerCalls = planned.length - before;
  const toolMessage = reported.map(({ content }) => content);
  return { firstRun: { interrupted, ...contexts }, secondRun: { plannerCalls, toolMessage, breakLoopDone, errors } };
};
export default adapter;

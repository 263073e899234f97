import { scriptedController } from "@planloom/controller/testing";
import { executionKinds, type Resource } from "@planloom/plan";
import { AgentsPlanner, DSLPlanner, LLMSelectorPlanner, ToolsPlanner } from "@planloom/planner";
import { defineExecutor, PlanAndExecuteL2 } from "@planloom/runtime";

/** What the seed calls our backend of each kind. */
const seedNames = {
  agent: { routedAs: "agent", backendCall: "P2PManager.send_recv" },
  tool: { routedAs: "tools", backendCall: "known_tools.execute_tool" },
  llm: { routedAs: "llm", backendCall: "known_llms.run_ai_inference" },
  dsl: { routedAs: "dsl", backendCall: "known_dsls.execute" },
};
const step = { uid: "u1", input_data: { k: 1 } };

const adapter: ConformanceAdapter<{ sub_type: string; stage2?: typeof step }> = async (input, { signal }) => {
  const { sub_type, stage2 = step } = input;
  const ofKind = (kind: Resource["kind"]): Resource[] =>
    [stage2.uid, "other"].map((id) => ({ kind, id, description: `${kind} ${id}` }));
  const controller = scriptedController([{ phase2: { success: true, data: stage2 } }]);
  const planners = {
    agent: new AgentsPlanner({ controller }),
    tool: new ToolsPlanner({ controller }),
    llm: new LLMSelectorPlanner({ controller }),
    dsl: new DSLPlanner({ controller }),
  };
  planners.agent.prepareAgents(ofKind("agent"));
  planners.tool.prepareTools(ofKind("tool"));
  planners.llm.prepareLlms(ofKind("llm"));
  planners.dsl.prepareWorkflows(ofKind("dsl"));
  const execute = async (called: object) => called;
  const executors = executionKinds.map((kind) =>
    defineExecutor({ kind, resources: () => ofKind(kind), execute: (called) => execute({ kind, ...called }) }),
  );
  const task = { execution_type: "l2_task", parameters: { sub_type } };
  const result = await new PlanAndExecuteL2({ task, executors, planners }).executeModule({}, { signal });
  const { kind } = result.output as { kind: keyof typeof planners };
  return { ...seedNames[kind], planner: planners[kind].constructor.name, result };
};
export default adapter;

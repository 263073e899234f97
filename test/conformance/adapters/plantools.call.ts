import { Planloom } from "planloom";
import { dialects } from "planloom/plan";
import { handlePlanTool } from "planloom/plan-tools";

interface Input {
  readonly tool: string;
  readonly args?: unknown;
  readonly plannerReturns?: unknown;
  readonly plannerRaises?: string;
}

const adapter: ConformanceAdapter<Input> = async (input, { signal, catalogue }) => {
  const processPhase1 = async () => {
    if (input.plannerRaises !== undefined) throw new Error(input.plannerRaises);
    return { success: true, data: dialects.mcpCli.read(input.plannerReturns ?? { title: "", steps: [] }) };
  };
  const controller = { name: "case", processPhase1, processPhase2: processPhase1 };
  const execute = async () => null;
  const executors = [{ kind: "tool" as const, resources: () => catalogue, execute }];
  await using planloom = new Planloom({ controller, executors });
  return JSON.parse(await handlePlanTool(input.tool, input.args, { planloom, signal }));
};
export default adapter;

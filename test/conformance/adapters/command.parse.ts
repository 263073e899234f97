import { memoryPlans, Planloom } from "planloom";
import { handlePlanCommand, parsePlanCommand } from "planloom/plan-tools";

const adapter: ConformanceAdapter<{ readonly args: string; readonly tools?: unknown[] }> = async (input, context) => {
  const command = parsePlanCommand(input.args);
  if (command.action === "run") return command;
  if (input.tools !== undefined && input.tools.length > 0) return context.skip("tools of a case without a meaning");
  await using planloom = new Planloom();
  return handlePlanCommand(input.args, { planloom, plans: memoryPlans(), signal: context.signal });
};
export default adapter;

import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ execution_type: string }> = (task) => ({
  executed: dialects.agentGrid.executesAsL2(task),
});
export default adapter;

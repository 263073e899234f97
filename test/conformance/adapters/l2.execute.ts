import { PlanAndExecuteL2 } from "@planloom/runtime";

const adapter: ConformanceAdapter<{ execution_type: string }> = (task) => ({
  executed: PlanAndExecuteL2.accepts(task),
});
export default adapter;

import { PlanStatus, TaskStatus } from "@planloom/plan";

const adapter: ConformanceAdapter = () => ({ task: TaskStatus.options, taskData: PlanStatus.options });
export default adapter;

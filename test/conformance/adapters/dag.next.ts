import { agentGrid } from "@planloom/compat";

const adapter: ConformanceAdapter<{ tasks: object[]; completed: string[] }> = ({ tasks, completed }) => ({
  next: agentGrid.nextTask(
    tasks.map((task) => agentGrid.normaliseTask(task)),
    completed,
  )?.task_id,
});
export default adapter;

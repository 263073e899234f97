import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ tasks: object[]; completed: string[] }> = ({ tasks, completed }) => ({
  next: dialects.agentGrid.nextTask(
    tasks.map((task) => dialects.agentGrid.normaliseTask(task)),
    completed,
  )?.task_id,
});
export default adapter;

import { agentGrid } from "@planloom/compat";
import { validatePlan } from "@planloom/plan";

const adapter: ConformanceAdapter<{ tasks: object[] }> = ({ tasks }) => {
  const issues = validatePlan(agentGrid.read(tasks));
  const errors = issues.filter((issue) => issue.severity === "error");
  return errors.length === 0 ? { ok: true } : { error: errors };
};
export default adapter;

import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown; outputs: Record<string, unknown> }> = ({ value, outputs }) => {
  const byStep = new Map(Object.entries(outputs));
  return { value: kirha.resolveValue(value, (stepId) => byStep.get(stepId)) };
};
export default adapter;

import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown; outputs: Record<string, unknown> }> = ({ value, outputs }) => {
  const byStep = new Map(Object.entries(outputs));
  return { value: dialects.kirha.resolveValue(value, (stepId) => byStep.get(stepId)) };
};
export default adapter;

import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ plan: unknown }> = ({ plan }) => ({
  valid: plannerAgent.planSchema.safeParse(plan).success,
});
export default adapter;

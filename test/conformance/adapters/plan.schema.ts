import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ plan: unknown }> = ({ plan }) => ({
  valid: dialects.plannerAgent.planSchema.safeParse(plan).success,
});
export default adapter;

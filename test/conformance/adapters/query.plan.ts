import { plannerAgent } from "@planloom/compat";
import { EmbeddedController } from "@planloom/embedded";
import { Planner } from "@planloom/planner";

const adapter: ConformanceAdapter<{ query: string; now: string }> = async ({ query, now }, { catalogue, signal }) => {
  const planner = new Planner({
    controller: new EmbeddedController({ now, timeZone: "UTC" }),
    resources: catalogue,
    now: () => new Date(now),
  });
  return plannerAgent.write(await planner.createPlan(query, { signal }));
};
export default adapter;

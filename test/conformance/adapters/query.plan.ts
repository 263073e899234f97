import { EmbeddedController } from "@planloom/embedded";
import { dialects } from "@planloom/plan";
import { Planner } from "@planloom/planner";

const adapter: ConformanceAdapter<{ query: string; now: string }> = async ({ query, now }, { catalogue, signal }) => {
  const planner = new Planner({
    controller: new EmbeddedController({ now, timeZone: "UTC" }),
    resources: catalogue,
    now: () => new Date(now),
  });
  return dialects.plannerAgent.write(await planner.createPlan(query, { signal }));
};
export default adapter;

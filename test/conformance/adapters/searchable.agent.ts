import { searchableRecord } from "@planloom/planner";

const adapter: ConformanceAdapter = () => ({
  fields: Object.keys(searchableRecord({ kind: "agent", id: "agent.a:1-x", description: "Does a." })),
});
export default adapter;

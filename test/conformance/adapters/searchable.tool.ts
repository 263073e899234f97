import { searchableRecord } from "@planloom/planner";

const adapter: ConformanceAdapter = () => ({
  fields: Object.keys(
    searchableRecord({ kind: "tool", id: "t", description: "Does t.", sub_type: "function", protocol_type: "local" }),
  ),
});
export default adapter;

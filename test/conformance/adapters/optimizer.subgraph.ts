import { SubGraph } from "@planloom/plan";

const adapter: ConformanceAdapter = () => ({ fields: Object.keys(SubGraph.shape) });
export default adapter;

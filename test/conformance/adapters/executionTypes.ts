import { agentGrid } from "@planloom/compat";
import { executionKinds } from "@planloom/plan";

/** The spellings of the executor's set that are read; what they become is the dialect's. */
const adapter: ConformanceAdapter = () => ({
  stage1Doc: executionKinds,
  l2Marker: "l2_task",
  executorAccepts: [...agentGrid.executionTypes.keys()].filter((word) => word.includes("_")),
});
export default adapter;

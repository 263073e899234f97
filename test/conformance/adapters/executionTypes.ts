import { agentGrid } from "@planloom/compat";
import { executionKinds } from "@planloom/plan";

/** The type that leaves its kind to `sub_type`. */
const isOpen = (word: string) =>
  executionKinds.every((kind) => {
    const { execution_type } = agentGrid.normaliseTask({ execution_type: word, parameters: { sub_type: kind } });
    return word !== "" && execution_type === kind;
  });

/** The spellings of the executor's set that are read; what they become is the dialect's. */
const adapter: ConformanceAdapter = () => ({
  stage1Doc: executionKinds,
  l2Marker: [...agentGrid.executionTypes.keys()].filter(isOpen).join(),
  executorAccepts: [...agentGrid.executionTypes.keys()].filter((word) => word.includes("_")),
});
export default adapter;

import { isDeepStrictEqual } from "node:util";
import { PlannerTask } from "@planloom/plan";

const adapter: ConformanceAdapter<Record<string, unknown>> = (input) => {
  const task: Record<string, unknown> = PlannerTask.parse(JSON.parse(JSON.stringify(PlannerTask.parse(input))));
  return { roundTripKeeps: Object.keys(input).filter((field) => isDeepStrictEqual(task[field], input[field])) };
};
export default adapter;

import { isRecord } from "@planloom/plan";
import type { Phase1Request } from "../behavior-controller.ts";

const goalKeys = ["goal", "objective", "query", "description"];

/** The query alone: the job's goal as a sentence, else the request's text. */
export function goalOf(request: Phase1Request): string {
  const goal = request.job?.job_goal;
  if (typeof goal === "string" && goal.trim() !== "") {
    return goal.trim();
  }
  if (isRecord(goal) && Object.keys(goal).length > 0) {
    const key = goalKeys.find((key) => Object.hasOwn(goal, key) && typeof goal[key] === "string");
    return key === undefined ? JSON.stringify(goal) : String(goal[key]);
  }
  return request.phase_1_data.task_input_data;
}

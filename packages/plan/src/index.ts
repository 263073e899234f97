export { PlanError, PlanErrorCode } from "./errors.ts";
export { IssueCode, type PlanIssue, type Repair } from "./issue.ts";
export { isRecord, type JsonSchema, type JsonValue } from "./json.ts";
export type { Bind, BindRequest, ExecutionContext, Executor, Step } from "./ports/executor.ts";
export type { Resource, ResourceCatalogue } from "./ports/resource.ts";
export { EstimateData } from "./records/estimate-data.ts";
export { Job, type JobInput, PlanningContext } from "./records/job.ts";
export {
  type ExecutionKind,
  ExecutionType,
  executionKinds,
  OnFailure,
  PlannerTask,
  type PlannerTaskInput,
  RetryPolicy,
  TaskStatus,
} from "./records/planner-task.ts";
export { SubGraph } from "./records/sub-graph.ts";
export { PlanStatus, TaskData, type TaskDataInput } from "./records/task-data.ts";
export { TaskId } from "./records/task-id.ts";

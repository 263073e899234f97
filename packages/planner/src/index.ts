export { PlannerError, PlannerErrorCode } from "./errors.ts";
export type { PlannerEvent } from "./events.ts";
export { type PlannerPrompts, plannerPrompts } from "./prompts/planner-prompts.ts";
export { searchableRecord } from "./prompts/searchable-record.ts";
export { type AnswerPlanOptions, answerPlan } from "./questions/answer-plan.ts";
export { chooseTools, type ReadWords } from "./questions/choose-tools.ts";
export { lacksArgumentsOnly, type PlanQuestion, questionsFrom } from "./questions/plan-question.ts";
export { readAnswerText } from "./questions/read-answer-text.ts";
export { type ReplanReading, readReplanReply } from "./replan/read-replan-reply.ts";
export { type ReplanCall, replanWith } from "./replan/replan-with.ts";
export {
  type Replanned,
  type ReplanOptions,
  SubGraphRePlanner,
  type SubGraphRePlannerOptions,
} from "./replan/sub-graph-replanner.ts";
export { type CandidateOptions, candidatesCheck } from "./stage1/candidates/candidate-options.ts";
export type { CandidateScore } from "./stage1/candidates/choose-candidate.ts";
export type { CandidateFacts } from "./stage1/candidates/sample-candidates.ts";
export type { PlanningFacts } from "./stage1/finish-plan.ts";
export { type JudgePlanOptions, judgePlan } from "./stage1/judge-plan.ts";
export { keepVerdict } from "./stage1/kept-verdict.ts";
export { type JobParts, maxGoalCharacters, type PlanInput } from "./stage1/plan-input.ts";
export { type CreatePlanOptions, Planner } from "./stage1/planner.ts";
export { type PlannerConfig, type PlannerOptions, plannerChecks } from "./stage1/planner-options.ts";
export { type PlanReplyReading, type ReadPlanReplyOptions, readPlanReply } from "./stage1/read-plan-reply.ts";
export { AgentsPlanner } from "./stage2/agents-planner.ts";
export { type BindWithOptions, bindWith } from "./stage2/bind-with.ts";
export { DSLPlanner } from "./stage2/dsl-planner.ts";
export { LLMSelectorPlanner } from "./stage2/llm-selector-planner.ts";
export { readStepReply, type StepAnswer, type StepReading } from "./stage2/read-step-reply.ts";
export type { CreateStepOptions, StepInput, StepPlannerOptions } from "./stage2/step-planner.ts";
export { type SubPlanner, subPlanners } from "./stage2/sub-planners.ts";
export { ToolsPlanner } from "./stage2/tools-planner.ts";

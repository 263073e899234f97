export { type FromAiSdkOptions, fromAiSdk } from "./ai-sdk/from-ai-sdk.ts";
export type { AiSdkCallOptions, AiSdkLanguageModel } from "./ai-sdk/language-model.ts";
export { answeredTask } from "./answers/answered-task.ts";
export {
  type AnswerSchema,
  type PlanAnswerOptions,
  planAnswerSchema,
  stepAnswerSchema,
} from "./answers/plan-answer-schema.ts";
export {
  type AttemptFeedback,
  type BehaviorController,
  type CallOptions,
  type ControllerReply,
  type Phase1Request,
  type Phase2Request,
  type PlanningTime,
  promptCharactersOf,
  type TaskInput,
} from "./behavior-controller.ts";
export { checkModelReply } from "./check-model-reply.ts";
export { ControllerError, ControllerErrorCode } from "./errors.ts";
export { HttpController, type HttpControllerOptions } from "./http-controller.ts";
export { HybridController, type HybridControllerOptions } from "./hybrid-controller.ts";
export { LlmController, type LlmControllerOptions } from "./llm-controller.ts";
export type {
  GenerateOptions,
  LikelyToken,
  Model,
  ModelCall,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
  ProviderData,
} from "./model.ts";
export { type OpenaiEncoderOptions, openaiEncoder } from "./openai/openai-encoder.ts";
export { openaiModel } from "./openai/openai-model.ts";
export type { OpenaiModelOptions } from "./openai/options.ts";
export type { PriceTable } from "./openai/price.ts";
export { type ReadOutput, type ReadOutputOptions, readOutput } from "./output/read-output.ts";
export { quotedCall, readTextCalls } from "./output/read-text-calls.ts";
export type { OutputRepair, RepairKind } from "./output/repairs.ts";
export { TaskStreamReader } from "./output/task-stream-reader.ts";
export { afterThinking, withoutThinking } from "./output/thinking.ts";
export { type ControllerPrompts, controllerPrompts } from "./prompts/controller-prompts.ts";
export { dataBlock } from "./prompts/data-block.ts";
export { issueLine } from "./prompts/feedback.ts";
export { leftOutNote } from "./prompts/left-out-note.ts";
export { planSchema, stepSchema } from "./prompts/plan-schema.ts";
export type { ProtocolName } from "./protocols/index.ts";
export type { Phase, Protocol, ProtocolAnswer, ProtocolRequest, ProtocolSettings } from "./protocols/protocol.ts";
export { readControllerReply } from "./read-controller-reply.ts";
export type { ReplanFailure, ReplanProgress, ReplanRequest, ReplanTask } from "./replan-request.ts";
export {
  type ControllerService,
  type ControllerServiceOptions,
  controllerService,
  type ServiceReply,
  type ServiceTask,
} from "./service/controller-service.ts";
export { type ControllerPhase, type ControllerSample, memorySamples, type SampleStore } from "./service/samples.ts";

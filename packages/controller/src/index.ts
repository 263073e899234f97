export type {
  AttemptFeedback,
  BehaviorController,
  CallOptions,
  ControllerReply,
  Phase1Request,
  Phase2Request,
  TaskInput,
} from "./behavior-controller.ts";
export { ControllerError, ControllerErrorCode } from "./errors.ts";
export type {
  Model,
  ModelCall,
  ModelMessage,
  ModelReply,
  ModelRequest,
  ModelTool,
  ModelToolCall,
  ModelUsage,
} from "./model.ts";
export { openaiModel } from "./openai/openai-model.ts";
export type { OpenaiModelOptions } from "./openai/options.ts";
export type { PriceTable } from "./openai/price.ts";
export { type ReadOutput, type ReadOutputOptions, readOutput } from "./output/read-output.ts";

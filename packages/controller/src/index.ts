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

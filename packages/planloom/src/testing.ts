export {
  type ControllerStep,
  type ModelStep,
  type ScriptedController,
  type ScriptedModel,
  scriptedController,
  scriptedModel,
  startChatServer,
} from "@planloom/controller/testing";

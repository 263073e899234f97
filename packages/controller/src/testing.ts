export { type ChatBehaviour, type ChatRequest, type ChatStep, chatBehaviours } from "./testing/chat-behaviour.ts";
export { type ChatServer, type ChatServerOptions, startChatServer } from "./testing/chat-server.ts";
export { type ControllerStep, type ScriptedController, scriptedController } from "./testing/scripted-controller.ts";
export { type ModelStep, type ScriptedModel, scriptedModel } from "./testing/scripted-model.ts";

export {
  type ChatBehaviour,
  type ChatRequest,
  type ChatServer,
  type ChatServerOptions,
  type ChatStep,
  type ControllerStep,
  chatBehaviours,
  type ModelStep,
  type ScriptedController,
  type ScriptedModel,
  scriptedController,
  scriptedModel,
  startChatServer,
} from "@planloom/controller/testing";
export { memoryJournal } from "@planloom/runtime";
export {
  type ContractCase,
  type ExecutorSubject,
  executorContract,
  type NestingStep,
  type SuspendingStep,
} from "./testing/executor-contract.ts";
export { type FakeClock, fakeClock } from "./testing/fake-clock.ts";
export { type JournalSubject, journalContract } from "./testing/journal-contract.ts";

export type { LlamaBinding } from "./binding.ts";
export { LocalError, LocalErrorCode } from "./errors.ts";
export { jsonGrammar } from "./json-grammar.ts";
export { type LocalModel, type LocalModelOptions, localModel } from "./local-model.ts";
export { findModel, listModels, type ModelFile, type ModelInUse, modelInUse, useModel } from "./model-files.ts";
export { type PullOptions, pullModel } from "./pull-model.ts";

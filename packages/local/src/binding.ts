import { ControllerError, ControllerErrorCode } from "@planloom/controller";

/** The part of node-llama-cpp that is used here, so that it need not be installed where no model is. */
export interface LlamaBinding {
  getLlama(options: object): Promise<Llama>;
  readonly LlamaChat: new (options: { contextSequence: LlamaSequence }) => LlamaChat;
}

interface Llama {
  loadModel(options: { modelPath: string }): Promise<LlamaWeights>;
  createGrammar(options: { grammar: string }): Promise<unknown>;
  dispose(): Promise<void>;
}

interface LlamaWeights {
  readonly trainContextSize: number;
  createContext(options: object): Promise<{ getSequence(): LlamaSequence }>;
}

interface LlamaSequence {
  readonly nextTokenIndex: number;
  readonly tokenMeter: TokenMeter;
}

interface TokenMeter {
  getState(): unknown;
  diff(before: unknown): { readonly usedInputTokens: number; readonly usedOutputTokens: number };
}

interface LlamaChat {
  generateResponse(history: readonly object[], options: object): Promise<LlamaResponse>;
}

export interface LlamaResponse {
  readonly response: string;
  readonly functionCalls?: readonly { readonly functionName: string; readonly params: unknown }[];
  readonly metadata: { readonly stopReason: string };
}

/** A model that is loaded and has one conversation at a time. */
export interface LoadedModel {
  readonly llama: Llama;
  readonly chat: LlamaChat;
  readonly sequence: LlamaSequence;
  readonly contextSize: number;
}

const library: string = "node-llama-cpp";

/** @throws ControllerError CONFIG with the line to type, where the library is not installed */
export async function importBinding(): Promise<LlamaBinding> {
  try {
    return (await import(library)) as LlamaBinding;
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    const why = isMissing ? "which is not installed" : `which cannot be loaded: ${String((cause as Error).message)}`;
    throw new ControllerError(
      ControllerErrorCode.CONFIG,
      `A model in this process needs the package node-llama-cpp, ${why}. Install it: npm install node-llama-cpp. Where it is installed beside your program only, pass \`binding\`, a function that imports it.`,
      { details: { option: "model" }, cause },
    );
  }
}

export interface LoadOptions {
  readonly path: string;
  readonly contextSize: number;
  readonly threads: number | undefined;
  readonly gpu: boolean;
}

/** Loads the weights. Nothing is downloaded or compiled: only the library's prebuilt binaries are used. */
export async function loadModel(binding: LlamaBinding, options: LoadOptions): Promise<LoadedModel> {
  const { path, threads, gpu } = options;
  const llama = await binding.getLlama({
    build: "never",
    skipDownload: true,
    progressLogs: false,
    logLevel: "error",
    gpu: gpu ? "auto" : false,
  });
  const weights = await llama.loadModel({ modelPath: path });
  const contextSize = Math.min(options.contextSize, weights.trainContextSize);
  const context = await weights.createContext({ contextSize, sequences: 1, ...(threads !== undefined && { threads }) });
  const sequence = context.getSequence();
  return { llama, chat: new binding.LlamaChat({ contextSequence: sequence }), sequence, contextSize };
}

import type { Model, ModelReply, ModelRequest, ModelToolCall, ProviderData } from "@planloom/controller";
import type { Executor } from "@planloom/plan";
import { waitingFailure } from "../../journal/waiting-call.ts";
import { TaskFailure } from "../../task-error.ts";
import { callModel } from "../call-model.ts";
import { modelTimeoutMs } from "../model-timeout.ts";
import type { RunScope } from "../scope.ts";
import { nestedCall, recordedCall } from "./nested-call.ts";

interface AskedModel {
  readonly model: Model;
  /** Distinguishes this request from others of the same task: a hash of the conversation before it. */
  readonly conversation: string;
  /** Of one attempt, in milliseconds. @default the model's own, else 180_000 */
  readonly timeoutMs?: number | undefined;
}

export interface ModelAsk extends AskedModel {
  readonly request: ModelRequest;
  readonly onDelta?: ((text: string) => void) | undefined;
}

export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly finishReason?: ModelReply["finishReason"];
  /** To be handed back with the turn. */
  readonly providerData?: ProviderData | undefined;
  /** Answered in an earlier session of the run. */
  readonly recorded: boolean;
}

interface StoredAnswer {
  readonly text: string;
  readonly tool_calls?: readonly ModelToolCall[];
  readonly finish_reason?: ModelReply["finishReason"];
  readonly provider_data?: ProviderData;
}

/**
 * One model call as an llm task nested in the task of `scope`, its resource named as the model: retried, counted, journaled.
 * @throws TaskFailure with the reason of a call that failed finally; WAITING where calls of the model need approval
 */
export async function askModel(scope: RunScope, ask: ModelAsk): Promise<ModelAnswer> {
  const { model } = ask;
  const outcome = await nestedCall(scope, taskOf(ask), {}, { executors: [executorOf(ask)] });
  if (outcome.status === "waiting") throw waitingFailure(outcome.waiting);
  if (outcome.status === "failed") {
    const { code, message, details } = outcome.error;
    throw new TaskFailure(code, `The model "${model.name}" gave no answer: ${message}`, {
      retryable: false,
      ...(details !== undefined && { details }),
    });
  }
  // Our own executor's output, from now or from the journal.
  const { text, tool_calls = [], finish_reason, provider_data } = outcome.output as StoredAnswer;
  const { recorded } = outcome;
  return { text, toolCalls: tool_calls, finishReason: finish_reason, providerData: provider_data, recorded };
}

/** Whether the model answered in an earlier session of the run. */
export function wasAnswered(scope: RunScope, ask: AskedModel): boolean {
  return recordedCall(scope, taskOf(ask), {})?.status === "completed";
}

function taskOf({ model, conversation, timeoutMs = modelTimeoutMs(model) }: AskedModel) {
  return {
    task_id: "model",
    execution_type: "llm" as const,
    parameters: { uid: model.name },
    arguments: { conversation },
    timeout_ms: timeoutMs,
  };
}

function executorOf({ model, request, onDelta }: ModelAsk): Executor {
  return {
    kind: "llm",
    resources: () => [{ kind: "llm", id: model.name, description: "The model of an agent." }],
    delegates: () => true,
    async execute(_, context) {
      const reply = await callModel(model, request, context, (text, said) => {
        // Without thoughts and arguments of calls, where the model tells them apart.
        context.onProgress({ text, ...(said !== undefined && said !== text && { said }) });
        onDelta?.(text);
      });
      const { text, toolCalls, finishReason, providerData } = reply;
      return {
        text,
        ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
        ...(finishReason !== undefined && { finish_reason: finishReason }),
        ...(providerData !== undefined && { provider_data: providerData }),
      } satisfies StoredAnswer;
    },
  };
}

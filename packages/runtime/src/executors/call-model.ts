import {
  ControllerError,
  ControllerErrorCode,
  checkModelReply,
  type Model,
  type ModelReply,
  type ModelRequest,
  type ModelUsage,
} from "@planloom/controller";
import { type CallUsage, checkUsage, type ExecutionContext } from "@planloom/plan";

/** Asks a model within an attempt: the call is kept in the run's journal and counted, a failed one too. */
export async function callModel(
  model: Model,
  request: ModelRequest,
  { signal, onCall }: Pick<ExecutionContext, "signal" | "onCall">,
  onDelta: (text: string, said?: string) => void,
): Promise<ModelReply> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  let reply: ModelReply;
  let spent: ModelUsage | undefined;
  const onSpent = (usage: ModelUsage) => {
    spent = usage;
  };
  try {
    // The run makes further attempts, and reports them.
    const given = await model.generate(request, { signal, maxRetries: 0, onDelta, onSpent });
    reply = checkModelReply(model.name, given, request);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const reported = spent ?? (error instanceof ControllerError ? error.details.usage : undefined);
    const paid = checkUsage(reported).usage;
    const usage = Object.keys(paid).length === 0 ? {} : { usage: paid };
    onCall({ request, error: message, latencyMs: latencyMs(), ...usage });
    throw error;
  }
  const usage: CallUsage | undefined = reply.usage;
  onCall({ request, reply, latencyMs: latencyMs(), ...(usage !== undefined && { usage }) });
  // The beginning of an answer is none.
  if (reply.finishReason === "content_filter" && reply.toolCalls.length === 0) {
    const message = `A content filter stopped the answer of the model "${model.name}". Say the request otherwise, or change the filter's settings.`;
    throw new ControllerError(ControllerErrorCode.CONTENT_FILTER, message, { details: { model: model.name } });
  }
  return reply;
}

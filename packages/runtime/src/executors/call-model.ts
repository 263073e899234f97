import { checkModelReply, type Model, type ModelReply, type ModelRequest } from "@planloom/controller";
import type { CallUsage, ExecutionContext } from "@planloom/plan";

/** Asks a model within an attempt: the call is kept in the run's journal and counted, a failed one too. */
export async function callModel(
  model: Model,
  request: ModelRequest,
  { signal, onCall }: Pick<ExecutionContext, "signal" | "onCall">,
  onDelta: (text: string) => void,
): Promise<ModelReply> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  let reply: ModelReply;
  try {
    // The run tries again, and tells it.
    const given = await model.generate(request, { signal, maxRetries: 0, onDelta });
    reply = checkModelReply(model.name, given);
  } catch (error) {
    onCall({ request, error: error instanceof Error ? error.message : String(error), latencyMs: latencyMs() });
    throw error;
  }
  const usage: CallUsage | undefined = reply.usage;
  onCall({ request, reply, latencyMs: latencyMs(), ...(usage !== undefined && { usage }) });
  return reply;
}

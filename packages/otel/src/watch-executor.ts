import type { Attributes } from "@opentelemetry/api";
import type { ExecutionContext, Executor, RecordedCall, Step } from "planloom/plan";
import { traceHeaders } from "planloom/plan";
import { recordContent } from "./content.ts";
import { failSpan } from "./failure.ts";
import { instruments } from "./instruments.ts";
import type { ModelSpans } from "./model-spans.ts";
import { names } from "./names.ts";
import type { OpenRun } from "./open-runs.ts";
import type { Settings } from "./options.ts";
import type { RunSpans } from "./run-spans.ts";
import { contextOf, startSpan, within } from "./tracing.ts";

const { attribute, operation } = names;

/** What an attempt is called, by the kind of its executor. */
const attempts: Readonly<
  Record<Executor["kind"], { readonly name: string; readonly attributes: (uid: string) => Attributes }>
> = {
  tool: {
    name: operation.tool,
    attributes: (uid) => ({
      [attribute.operation]: operation.tool,
      [attribute.toolName]: uid,
      [attribute.toolType]: "function",
    }),
  },
  agent: {
    name: operation.agent,
    attributes: (uid) => ({ [attribute.operation]: operation.agent, [attribute.agentName]: uid }),
  },
  dsl: {
    name: operation.workflow,
    attributes: (uid) => ({ [attribute.operation]: operation.workflow, [attribute.workflow]: uid }),
  },
  llm: { name: names.span.llm, attributes: () => ({}) },
};

/** An executor whose attempts are spans: each within the span of its task, and the active one while `execute` does its work. */
export function watchExecutor(executor: Executor, runs: RunSpans, models: ModelSpans, settings: Settings): Executor {
  const { kind } = executor;
  const execute = (step: Step, context: ExecutionContext): Promise<unknown> => {
    const run = runs.get(context.runId);
    // In a worker process the run is elsewhere, and its trace came with the subgraph.
    if (run === undefined && traceHeaders().traceparent === undefined) return executor.execute(step, context);
    return attempt(executor, step, context, run, models, settings);
  };
  // Member by member: it may be an instance of a class with private state, and a proxy would cost a microsecond at each look.
  const { estimate, unavailable, timeoutMs, secrets, delegates } = executor;
  return {
    kind,
    execute,
    resources: executor.resources.bind(executor),
    ...(estimate !== undefined && { estimate: estimate.bind(executor) }),
    ...(unavailable !== undefined && { unavailable: unavailable.bind(executor) }),
    ...(timeoutMs !== undefined && { timeoutMs: timeoutMs.bind(executor) }),
    ...(secrets !== undefined && { secrets }),
    ...(delegates !== undefined && { delegates: delegates.bind(executor) }),
  };
}

async function attempt(
  executor: Executor,
  step: Step,
  given: ExecutionContext,
  run: OpenRun | undefined,
  models: ModelSpans,
  settings: Settings,
): Promise<unknown> {
  const { uid } = step;
  const { runId, task, path = task.task_id, attempt: number, idempotencyKey } = given;
  const isFirst = number === 1 && !path.includes("/");
  const startedMs = performance.now();
  if (run !== undefined && isFirst) measureQueue(run, given, path, startedMs);
  const { name, attributes } = attempts[executor.kind];
  const parent = run === undefined ? contextOf(traceHeaders()) : run.contextOf(path);
  const open = startSpan(
    {
      name: `${name} ${uid}`,
      attributes: {
        ...attributes(uid),
        [attribute.kind]: executor.kind,
        [attribute.resource]: uid,
        [attribute.runId]: runId,
        [attribute.taskPath]: path,
        [attribute.attempt]: number,
        ...(executor.kind === "tool" && { [attribute.toolCallId]: idempotencyKey }),
      },
    },
    parent,
  );
  const { span } = open;
  const blank = given.redact;
  const content = (key: string, value: () => unknown) =>
    recordContent(span, settings, { attribute: key, of: uid }, value, blank);
  content(attribute.toolArguments, () => step.input_data);
  run?.attempts.set(path, open);
  const context = {
    ...given,
    onCall: (call: RecordedCall) => {
      models.recorded(call, open.context);
      given.onCall(call);
    },
  };
  let errorType: string | undefined;
  try {
    const output = await within(open, () => executor.execute(step, context));
    content(attribute.toolResult, () => output);
    return output;
  } catch (error) {
    errorType = errorTypeOf(error);
    // A call that waits for a person or a time has not failed: it is made again when it may continue.
    if (errorType === "TASK_WAITING") span.setAttribute(attribute.taskStatus, "waiting");
    else failSpan(span, error, settings, blank);
    throw error;
  } finally {
    if (run?.attempts.get(path) === open) run.attempts.delete(path);
    span.end();
    if (executor.kind === "tool") {
      instruments()?.toolDuration.record((performance.now() - startedMs) / 1_000, {
        [attribute.toolName]: uid,
        ...(errorType !== undefined && { [attribute.errorType]: errorType }),
      });
    }
  }
}

function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === "string" ? code : typeof name === "string" ? name : "_OTHER";
}

/** How long a task waited since nothing that it depends on was missing any more. */
function measureQueue(run: OpenRun, { task }: ExecutionContext, path: string, nowMs: number): void {
  const measured = instruments();
  if (measured === undefined) return;
  const ended = task.dependencies.flatMap((id) => run.endedMs.get(id) ?? []);
  const readyMs = Math.max(run.startedMs, run.releasedMs.get(path) ?? 0, ...ended);
  measured.queueDuration.record(Math.max(0, nowMs - readyMs) / 1_000, {});
}

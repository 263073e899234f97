import { SpanKind } from "@opentelemetry/api";
import type { BehaviorController, CallOptions, Phase1Request, Phase2Request } from "planloom/controller";
import type { Bind } from "planloom/plan";
import type { Dispatcher, Replan } from "planloom/runtime";
import { failSpan } from "./failure.ts";
import type { ModelSpans } from "./model-spans.ts";
import { names } from "./names.ts";
import type { Settings } from "./options.ts";
import type { RunSpans } from "./run-spans.ts";
import {
  currentContext,
  headersOf,
  isTraced,
  type NewSpan,
  type OpenSpan,
  startSpan,
  within,
  withinContext,
} from "./tracing.ts";

const { attribute, span: kinds } = names;

/** A controller whose answers are spans, in which its requests are made. */
export function watchController(
  controller: BehaviorController,
  models: ModelSpans,
  settings: Settings,
): BehaviorController {
  const watched = <Request extends Phase1Request | Phase2Request>(
    phase: 1 | 2,
    ask: (request: Request, options?: CallOptions) => ReturnType<BehaviorController["processPhase1"]>,
  ) => {
    return async (request: Request, options?: CallOptions) => {
      const taskId = "task" in request ? request.task?.task_id : undefined;
      const open = startSpan(
        {
          name: phase === 1 ? `${kinds.controller} ${controller.name}` : `${kinds.bind} ${taskId ?? controller.name}`,
          kind: controller.name.startsWith("http:") ? SpanKind.CLIENT : SpanKind.INTERNAL,
          attributes: { [attribute.controller]: controller.name, [attribute.phase]: phase },
        },
        currentContext(),
      );
      if (!isTraced(open)) return ask(request, options);
      const onCall: CallOptions["onCall"] = (call) => {
        models.recorded(call, open.context);
        options?.onCall?.(call);
      };
      return settledIn(open, settings, async () => {
        const reply = await ask(request, { ...options, onCall });
        if (!reply.success) open.span.setAttribute(attribute.errorType, "no_answer");
        return reply;
      });
    };
  };
  const methods: Partial<Record<string | symbol, unknown>> = {
    processPhase1: watched<Phase1Request>(1, (request, options) => controller.processPhase1(request, options)),
    processPhase2: watched<Phase2Request>(2, (request, options) => controller.processPhase2(request, options)),
  };
  return new Proxy(controller, {
    get: (target, property) => {
      const own = methods[property];
      if (own !== undefined) return own;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Stage 2, within the span of its task: what it asks a controller is a span; most tasks need no such question. */
export function watchBind(bind: Bind, runs: RunSpans): Bind {
  return (request, options) => {
    const { about } = options;
    const run = about && runs.get(about.runId);
    if (run === undefined) return bind(request, options);
    return withinContext(run.contextOf(about!.path), () => bind(request, options));
  };
}

/** The replanner, within the span of the replan that it is asked for. */
export function watchReplan(replan: Replan, runs: RunSpans): Replan {
  return (region, options) => {
    const run = options.about && runs.get(options.about.runId);
    return run?.replan === undefined ? replan(region, options) : within(run.replan, () => replan(region, options));
  };
}

/** A dispatcher whose subgraphs are spans; a worker gets the trace along with its subgraph. */
export function watchDispatcher(dispatcher: Dispatcher, runs: RunSpans, settings: Settings): Dispatcher {
  const { name, governed, reportsTasks } = dispatcher;
  return {
    name,
    ...(governed !== undefined && { governed }),
    ...(reportsTasks !== undefined && { reportsTasks }),
    ...(dispatcher.prepare !== undefined && { prepare: (...given) => dispatcher.prepare!(...given) }),
    dispatch(request, context) {
      const run = runs.get(request.run_id);
      if (run === undefined) return dispatcher.dispatch(request, context);
      const open = startSpan(subgraphSpan(name, request.run_id, request.subgraph_id), run.root.context);
      for (const { task_id, status } of request.plan.planned_tasks)
        if (status !== "completed") run.subgraphs.set(task_id, open);
      const { traceparent, tracestate } = headersOf(open.context);
      const trace = traceparent && { trace: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
      return settledIn(open, settings, () => dispatcher.dispatch({ ...request, ...trace }, context));
    },
  };
}

function subgraphSpan(dispatcher: string, runId: string, subgraphId: string): NewSpan {
  return {
    name: `${kinds.subgraph} ${subgraphId}`,
    attributes: {
      [attribute.runId]: runId,
      [attribute.subgraphId]: subgraphId,
      [attribute.dispatcher]: dispatcher,
    },
  };
}

/** Does `work` within a span, which ends with it. */
export async function settledIn<Value>(open: OpenSpan, settings: Settings, work: () => Promise<Value>): Promise<Value> {
  try {
    return await within(open, work);
  } catch (error) {
    failSpan(open.span, error, settings);
    throw error;
  } finally {
    open.span.end();
  }
}

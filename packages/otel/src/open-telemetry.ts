import { AsyncLocalStorage } from "node:async_hooks";
import { metrics, SpanKind, trace } from "@opentelemetry/api";
import type { Telemetry, TelemetryCall } from "planloom/options";
import { instruments, watchBudgets } from "./instruments.ts";
import { ModelSpans } from "./model-spans.ts";
import { names } from "./names.ts";
import { type OpenTelemetryOptions, readOptions } from "./options.ts";
import { type OpenCall, RunSpans } from "./run-spans.ts";
import { currentContext, isTraced, type NewSpan, startSpan } from "./tracing.ts";
import { watchExecutor } from "./watch-executor.ts";
import { settledIn, watchBind, watchController, watchDispatcher, watchReplan } from "./watch-planning.ts";

const { attribute, operation } = names;

/** The span of a call of the instance, by the name of its method; others are passed on without one. */
const calls: Readonly<Record<string, Pick<NewSpan, "name" | "attributes">>> = {
  plan: { name: operation.plan, attributes: { [attribute.operation]: operation.plan } },
  optimize: { name: "optimize" },
  replan: { name: names.span.replan, attributes: { [attribute.operation]: operation.plan } },
  ...Object.fromEntries(
    ["run", "resume", "fork", "callTool", "planExecute", "resumePlanExecute"].map((name) => [
      name,
      { name: `${operation.workflow} ${name}`, attributes: { [attribute.operation]: operation.workflow } },
    ]),
  ),
};

/**
 * Telemetry for `new Planloom({ telemetry: openTelemetry() })`, by the providers that the program registered with `@opentelemetry/api`: the SDK
 * may be set up before or after. Without any it does next to nothing.
 * @throws PlanloomError OPTION
 */
export function openTelemetry(options: OpenTelemetryOptions = {}): Telemetry {
  const settings = readOptions(options);
  const current = new AsyncLocalStorage<OpenCall>();
  const runs = new RunSpans(settings, () => current.getStore());
  const models = new ModelSpans(settings);
  return {
    call(call, work) {
      const wanted = spanOfCall(call);
      if (wanted === undefined) return work();
      const open = startSpan(wanted, currentContext());
      if (!isTraced(open) && instruments() === undefined) return work();
      const opened: OpenCall = { open };
      return current.run(opened, () =>
        settledIn(open, settings, work).finally(() => {
          if (opened.runId !== undefined) runs.forget(opened.runId);
        }),
      );
    },
    event: (event) => {
      if (event.type === "plan-attempt") notePlanAttempt(event);
      else runs.hear(event);
    },
    executor: (executor) => watchExecutor(executor, runs, models, settings),
    model: (model) => models.watch(model),
    controller: (controller) => watchController(controller, models, settings),
    bind: (bind) => watchBind(bind, runs),
    replan: (replan) => watchReplan(replan, runs),
    dispatcher: (dispatcher) => watchDispatcher(dispatcher, runs, settings),
    budgets: watchBudgets,
    flush,
  };
}

function spanOfCall({ name, title }: TelemetryCall): NewSpan | undefined {
  if (name !== "request") {
    const wanted = calls[name];
    return wanted && { ...wanted, attributes: { ...wanted.attributes, [attribute.call]: name } };
  }
  const [method = "", route = ""] = (title ?? "").split(" ");
  return {
    name: `${method} ${route}`,
    kind: SpanKind.SERVER,
    attributes: { [attribute.httpMethod]: method, [attribute.httpRoute]: route },
  };
}

/** An attempt at a plan, on the span of the planning that it belongs to. */
function notePlanAttempt({
  attempt,
  issues,
}: {
  readonly attempt: number;
  readonly issues: readonly { readonly code: string }[];
}): void {
  trace.getActiveSpan()?.addEvent(names.event.attempt, {
    [attribute.attempt]: attempt,
    [attribute.issues]: [...new Set(issues.map(({ code }) => code))],
  });
}

/** Exports what the providers that are registered hold back. */
async function flush(): Promise<void> {
  const provider = trace.getTracerProvider() as { getDelegate?: () => unknown };
  const flushable = [provider.getDelegate?.() ?? provider, metrics.getMeterProvider()] as readonly {
    forceFlush?: () => Promise<void>;
  }[];
  await Promise.allSettled(flushable.map((each) => each.forceFlush?.()));
}

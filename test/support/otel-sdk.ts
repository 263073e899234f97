import { context, metrics, propagation, type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";

/** The real SDK, with all that it exports in memory. */
export interface MemorySdk {
  /** Those that have ended. */
  spans(): readonly ReadableSpan[];
  span(name: string | RegExp): ReadableSpan;
  /** Each span by its name and that of its parent, sorted: `plan < invoke_workflow run`. */
  tree(): readonly string[];
  /** The values of a metric: of a counter the sum, of a histogram how many were recorded, by attributes. */
  metric(name: string): Promise<readonly { readonly attributes: object; readonly value: number }[]>;
  shutdown(): Promise<void>;
}

export function memorySdk(): MemorySdk {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const spans = () => exporter.getFinishedSpans();
  return {
    spans,
    span(name) {
      const matches = ({ name: own }: ReadableSpan) => (typeof name === "string" ? own === name : name.test(own));
      const found = spans().filter(matches);
      if (found.length !== 1)
        throw new Error(`${found.length} spans "${name}" among ${spans().map((span) => span.name)}`);
      return found[0]!;
    },
    tree() {
      const byId = new Map(spans().map((span) => [span.spanContext().spanId, span.name]));
      return spans()
        .map(({ name, parentSpanContext }) =>
          parentSpanContext === undefined ? name : `${name} < ${byId.get(parentSpanContext.spanId) ?? "elsewhere"}`,
        )
        .sort();
    },
    async metric(name) {
      await reader.forceFlush();
      const [last] = metricExporter.getMetrics().slice(-1);
      const found = last?.scopeMetrics
        .flatMap((scope) => scope.metrics)
        .find(({ descriptor }) => descriptor.name === name);
      return (found?.dataPoints ?? []).map(({ attributes, value }) => ({
        attributes,
        value: typeof value === "number" ? value : (value as { count: number }).count,
      }));
    },
    async shutdown() {
      await tracerProvider.shutdown();
      await meterProvider.shutdown();
      trace.disable();
      metrics.disable();
      context.disable();
      propagation.disable();
    },
  };
}

export const isError = ({ status }: Pick<ReadableSpan, "status">): boolean => status.code === SpanStatusCode.ERROR;
export type { ReadableSpan, Span };

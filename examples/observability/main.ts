// What a collector gets of a goal that is planned and run: here the spans are kept in memory and printed as a tree. In a service the two lines
// with the exporter are those of your SDK, and nothing else changes. No model and no key.
import { deepStrictEqual } from "node:assert";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { openTelemetry } from "@planloom/otel";
import { defineTool, Planloom } from "planloom";
import { z } from "zod";

const exporter = new InMemorySpanExporter();
trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

const facilities = defineTool({
  id: "facilities_list",
  description: "List the facilities in a city",
  input: z.object({ city: z.string() }),
  output: z.array(z.object({ facility_id: z.string() })),
  readOnly: true,
  execute: () => [{ facility_id: "f1" }],
});
let attempts = 0;
const weather = defineTool({
  id: "weather_get",
  description: "Get the weather in a city",
  input: z.object({ city: z.string() }),
  readOnly: true,
  execute({ city }) {
    attempts += 1;
    if (attempts === 1) throw Object.assign(new Error("The station does not answer."), { code: "ECONNREFUSED" });
    // Whatever a tool does here is within its span.
    trace.getActiveSpan()?.setAttribute("app.station", "DE-4711");
    return { city, degrees: 21 };
  },
});

await using planloom = new Planloom({ tools: [facilities, weather], telemetry: openTelemetry() });
const { end_reason } = await planloom.run("List the facilities in Berlin, then get the weather in Berlin", {
  retry: { max_attempts: 2, initial_delay_ms: 10 },
});

const spans = exporter.getFinishedSpans();
const childrenOf = (parent: ReadableSpan | undefined) =>
  spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent?.spanContext().spanId)
    .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
const lines: string[] = [];
const print = (span: ReadableSpan, depth: number): void => {
  const ms = span.duration[0] * 1_000 + span.duration[1] / 1e6;
  const error = span.attributes["error.type"];
  lines.push(`${"  ".repeat(depth)}${span.name}`);
  console.log(`${`${"  ".repeat(depth)}${span.name}`.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms  ${error ?? ""}`);
  for (const child of childrenOf(span)) print(child, depth + 1);
};
for (const root of childrenOf(undefined)) print(root, 0);

deepStrictEqual(end_reason, "completed");
deepStrictEqual(lines.filter((line) => line.trim() === "execute_tool weather_get").length, 2);
deepStrictEqual(lines[0], "invoke_workflow run");

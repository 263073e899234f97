import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
} from "@opentelemetry/api";
import { type TraceHeaders, traceHeaders, withTraceHeaders } from "planloom/plan";
import { names } from "./names.ts";

/** A span, and the context in which what belongs to it happens. */
export interface OpenSpan {
  readonly span: Span;
  readonly context: Context;
}

export interface NewSpan {
  readonly name: string;
  readonly attributes?: Attributes;
  readonly kind?: SpanKind;
  readonly links?: Link[];
  /** Milliseconds since the epoch. @default now */
  readonly startTime?: number;
}

export function startSpan(
  { name, attributes = {}, kind = SpanKind.INTERNAL, links, startTime }: NewSpan,
  parent: Context,
): OpenSpan {
  const options = { attributes, kind, ...(links && { links }), ...(startTime !== undefined && { startTime }) };
  const span = trace.getTracer(names.scope).startSpan(name, options, parent);
  return { span, context: trace.setSpan(parent, span) };
}

/** True where spans are recorded, or have to be passed on unrecorded since they were not sampled. */
export function isTraced({ span }: OpenSpan): boolean {
  return span.isRecording() || trace.isSpanContextValid(span.spanContext());
}

/** Where the calling code is: in a span of this program, else in a trace that came with a request. */
export function currentContext(): Context {
  const active = context.active();
  return trace.getSpan(active) === undefined ? contextOf(traceHeaders()) : active;
}

export function contextOf(headers: TraceHeaders): Context {
  return headers.traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { ...headers });
}

/** A link to the trace in which something was begun; none where the headers name no trace. */
export function linkTo(headers: TraceHeaders | undefined): Link[] {
  const linked = headers && trace.getSpanContext(contextOf(headers));
  return linked === undefined ? [] : [{ context: linked }];
}

/** As the headers that requests to others carry. */
export function headersOf(of: Context): TraceHeaders {
  const carrier: Record<string, string> = {};
  propagation.inject(of, carrier);
  return carrier;
}

/** Does `work` within a span: it is the active one, and requests that the work makes carry it. */
export function within<Value>({ context: of }: OpenSpan, work: () => Value): Value {
  return withinContext(of, work);
}

export function withinContext<Value>(of: Context, work: () => Value): Value {
  return context.with(of, () => withTraceHeaders(headersOf(of), work));
}

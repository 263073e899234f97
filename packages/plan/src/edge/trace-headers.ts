import { AsyncLocalStorage } from "node:async_hooks";

/** The W3C trace context of some work as headers: `traceparent`, `tracestate`, `baggage`. */
export type TraceHeaders = Readonly<Record<string, string>>;

const key: unique symbol = Symbol.for("planloom.trace-headers");
const none: TraceHeaders = Object.freeze({});
/** As W3C Trace Context has them; what comes from outside must not become a header that cannot be sent. */
const forms = {
  traceparent: /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/,
  tracestate: /^[\x20-\x7e]{1,512}$/,
} as const;

/** One for the process, also where a program has two copies of this package. */
function storage(): AsyncLocalStorage<TraceHeaders> {
  const place = globalThis as { [key]?: AsyncLocalStorage<TraceHeaders> };
  place[key] ??= new AsyncLocalStorage();
  return place[key];
}

/** Does `work` in a trace: requests that it makes to models, controllers and MCP servers carry these headers. */
export function withTraceHeaders<Value>(headers: TraceHeaders, work: () => Value): Value {
  return storage().run(headers, work);
}

/** The trace that the calling code works in; empty where there is none. */
export function traceHeaders(): TraceHeaders {
  return storage().getStore() ?? none;
}

/**
 * The trace context (`traceparent`, `tracestate`) among the headers of a request from outside, or the fields of `_meta`; what is not in their form
 * is left out. `baggage` is not read: it would reach models and servers that its sender does not know.
 */
export function readTraceHeaders(read: (name: string) => unknown): TraceHeaders {
  const traceparent = read("traceparent");
  if (typeof traceparent !== "string" || !forms.traceparent.test(traceparent)) return none;
  const tracestate = read("tracestate");
  const hasState = typeof tracestate === "string" && forms.tracestate.test(tracestate);
  return { traceparent, ...(hasState && { tracestate }) };
}

/** What a run and a dispatch keep of the trace that the caller works in; nothing where there is none. */
export function keptTrace(): { readonly trace?: TraceHeaders } {
  const { traceparent, tracestate } = traceHeaders();
  if (traceparent === undefined) return {};
  return { trace: { traceparent, ...(tracestate !== undefined && { tracestate }) } };
}

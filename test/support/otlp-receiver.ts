import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as OTLP/JSON has it. */
export interface OtlpSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

interface MetricRequest {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  }[];
}

/** What an OTLP collector takes over HTTP as JSON: `/v1/traces` and `/v1/metrics`. */
export interface OtlpReceiver extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly OtlpSpan[];
  /** Names of the metrics that came. */
  readonly metrics: ReadonlySet<string>;
  /** `service.name` of who sent. */
  readonly services: ReadonlySet<string>;
}

export async function otlpReceiver(): Promise<OtlpReceiver> {
  const spans: OtlpSpan[] = [];
  const metrics = new Set<string>();
  const services = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const text = String(request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body);
    if (request.url === "/v1/traces") {
      for (const { resource, scopeSpans } of (JSON.parse(text) as TraceRequest).resourceSpans) {
        const service = resource.attributes.find(({ key }) => key === "service.name");
        services.add(String(service?.value.stringValue));
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    if (request.url === "/v1/metrics") {
      for (const { scopeMetrics } of (JSON.parse(text) as MetricRequest).resourceMetrics)
        for (const scope of scopeMetrics) for (const { name } of scope.metrics) metrics.add(name);
    }
    response.writeHead(200, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    services,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { trace } from "@opentelemetry/api";

/** An SDK that this program started. */
export interface StartedSdk {
  /** Exports what is left. */
  shutdown(): Promise<void>;
}

/**
 * Starts the SDK of `@opentelemetry/sdk-node`, which the OTEL_* variables of `process.env` configure, as service `planloom` where they name none.
 * Nothing is started where the program has an SDK already.
 * @throws what loading `@opentelemetry/sdk-node` throws where it is not installed
 */
export async function startSdk(): Promise<StartedSdk | undefined> {
  if (hasProvider()) return undefined;
  const { env } = process;
  if (!env.OTEL_SERVICE_NAME && !env.OTEL_RESOURCE_ATTRIBUTES?.includes("service.name="))
    env.OTEL_SERVICE_NAME = "planloom";
  const { NodeSDK } = await import("@opentelemetry/sdk-node");
  const sdk = new NodeSDK();
  sdk.start();
  return { shutdown: () => sdk.shutdown() };
}

function hasProvider(): boolean {
  const provider = trace.getTracerProvider() as { getDelegate?: () => object };
  const delegate = provider.getDelegate?.() ?? provider;
  return "forceFlush" in delegate || "shutdown" in delegate;
}

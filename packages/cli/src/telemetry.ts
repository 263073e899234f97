import type { Telemetry } from "planloom/options";
import type { CliIo } from "./io.ts";

/** Telemetry of the session, and what ends it. */
export interface SessionTelemetry {
  readonly telemetry: Telemetry | undefined;
  readonly notes: readonly string[];
  /** Exports what is left. */
  close(): Promise<void>;
}

const none: SessionTelemetry = { telemetry: undefined, notes: [], close: async () => {} };
/** One SDK a process, also where a command opens several sessions. */
let started: Promise<unknown> | undefined;

/** How long the last export may take, in milliseconds: a collector that is away must not hold the command. */
const lastExportMs = 3_000;

/** Whether the environment names an endpoint or an exporter of OpenTelemetry. It loads nothing. */
export function isTelemetryAskedFor({ env }: Pick<CliIo, "env">): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  return [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
    "OTEL_CONFIG_FILE",
  ].some((name) => (env[name] ?? "").trim() !== "");
}

/**
 * The telemetry of the configuration, else that for which the OTEL_* variables of the environment ask. Where they do, the SDK of `@opentelemetry/sdk-node` is
 * started, and reads them. Where a package for it is missing, nothing is exported, and a note says what to install.
 */
export async function sessionTelemetry(configured: Telemetry | undefined, io: CliIo): Promise<SessionTelemetry> {
  if (configured === undefined && !isTelemetryAskedFor(io)) return none;
  if (!isTelemetryAskedFor(io))
    return { telemetry: configured, notes: [], close: () => within(lastExportMs, flush(configured)) };
  try {
    const [{ openTelemetry }, { startSdk }] = await Promise.all([
      import("@planloom/otel"),
      import("@planloom/otel/sdk"),
    ]);
    started ??= startSdk();
    await started;
    const telemetry = configured ?? openTelemetry();
    // The SDK itself stays, for the next session of the process.
    return { telemetry, notes: [], close: () => within(lastExportMs, flush(telemetry)) };
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    const install = "npm install @planloom/otel @opentelemetry/api @opentelemetry/sdk-node";
    const note = `The environment asks for OpenTelemetry, but its packages are not installed, so nothing is exported: ${install}`;
    return { telemetry: configured, notes: [note], close: async () => {} };
  }
}

const flush = (telemetry: Telemetry | undefined): Promise<void> => telemetry?.flush?.() ?? Promise.resolve();

async function within(limitMs: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  // What cannot be exported is not the command's failure; the SDK logs it where it is asked to.
  await Promise.race([work.catch(() => {}), limit]);
  clearTimeout(timer);
}

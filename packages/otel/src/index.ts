export { names as telemetryNames } from "./names.ts";
export { openTelemetry } from "./open-telemetry.ts";
export type { ContentAbout, OpenTelemetryOptions } from "./options.ts";

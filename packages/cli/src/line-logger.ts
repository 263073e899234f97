import type { LogFields, Logger } from "planloom/options";
import type { CliIo } from "./io.ts";
import { plainLine } from "./terminal/style.ts";

/** From the most to the least that is written. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Writes lines of JSON to standard error, as `pino` does: level, time, message, and what it is about. */
export function lineLogger({ stderr }: Pick<CliIo, "stderr">, least: LogLevel, bound: LogFields = {}): Logger {
  const line = (level: LogLevel) => (fields: LogFields, message: string) => {
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const entry = { level, time: new Date().toISOString(), msg: message, ...bound, ...fields };
    stderr.write(`${plainLine(JSON.stringify(entry, errorsAsText))}\n`);
  };
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (fields) => lineLogger({ stderr }, least, { ...bound, ...fields }),
  };
}

function errorsAsText(_key: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { code } = value as { readonly code?: unknown };
  return { message: value.message, ...(typeof code === "string" && { code }) };
}

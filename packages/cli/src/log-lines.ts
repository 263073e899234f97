import type { CliIo } from "./io.ts";
import { plainLine } from "./terminal/style.ts";

/** A log of a server: errors and warnings as lines on standard error; with `--json`, one JSON object a line. */
export function logLines(io: CliIo, json: boolean) {
  const line = (level: "info" | "warn" | "error") => (about: object, message: string) => {
    if (!json && level === "info") return;
    const fields = Object.fromEntries(
      Object.entries(about).map(([key, value]) => [key, value instanceof Error ? value.message : value]),
    );
    const text = json
      ? JSON.stringify({ level, time: new Date().toISOString(), message, ...fields })
      : `${level}: ${message}: ${JSON.stringify(fields)}`;
    io.stderr.write(`${plainLine(text)}\n`);
  };
  return { info: line("info"), warn: line("warn"), error: line("error") };
}

import { stripVTControlCharacters } from "node:util";

/** Something a server, or its process, said on the side. */
export interface McpLogEntry {
  readonly server: string;
  /** `stderr`: a line of the process; `message`: a logging notification; `client`: this package about the connection. */
  readonly source: "stderr" | "message" | "client";
  /** As the server gave it (`info`, `error`, …); `info` for stderr. */
  readonly level: string;
  /** One line or more, terminal control characters removed. */
  readonly text: string;
}

export type McpLog = (entry: McpLogEntry) => void;

/** A log that cannot break its caller: what a listener throws is dropped. */
export function guardedLog(onLog: McpLog | undefined): McpLog {
  return (entry) => {
    try {
      onLog?.(entry);
    } catch {
      // A listener's own fault must not end a connection.
    }
  };
}

/** Text of a server made safe to show: no escape sequences, no control characters but newline and tab, cut at `maxLength`. */
export function printable(text: string, maxLength = 2_000): string {
  // Cut first: a server may send megabytes.
  const head = text.length > maxLength * 4 ? text.slice(0, maxLength * 4) : text;
  const clean = stripVTControlCharacters(head)
    .replaceAll("\r\n", "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim();
  return clean.length > maxLength ? `${clean.slice(0, maxLength)}…` : clean;
}

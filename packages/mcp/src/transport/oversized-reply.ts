import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { OversizedLine } from "./message-lines.ts";

/** JSON-RPC code of the error that stands in for a reply over the size limit; never sent to a server. */
export const oversizedCode = -32_099;

const idAtStart = /^\{"jsonrpc":"2\.0","id":(\d+),/;
const idAtEnd = /,"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/;

/**
 * An error reply in place of one that was too large, so that only its call fails. Servers write the id first or last;
 * where it cannot be told, `undefined`, and the connection cannot go on.
 */
export function oversizedReply(line: OversizedLine, maxBytes: number): JSONRPCMessage | undefined {
  const id = (idAtStart.exec(line.head) ?? idAtEnd.exec(line.tail))?.[1];
  if (id === undefined) return undefined;
  const message = `A message of ${line.bytes} bytes is over the limit of ${maxBytes}`;
  return {
    jsonrpc: "2.0",
    id: Number(id),
    error: { code: oversizedCode, message, data: { bytes: line.bytes, maxBytes } },
  };
}

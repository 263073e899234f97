import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import type { OversizedLine } from "./message-lines.ts";

/** JSON-RPC code of the error that replaces a reply over the size limit; never sent to a server. */
export const oversizedCode = -32_099;

const idAtStart = /^\{"jsonrpc":"2\.0","id":(\d+),/;
const idAtEnd = /,"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/;

/** An error reply in place of one that was too large, so that only its call fails. */
export function oversizedReply(id: number, bytes: number, maxBytes: number): JSONRPCMessage {
  const message = `A message of ${bytes} bytes is over the limit of ${maxBytes}`;
  return { jsonrpc: "2.0", id, error: { code: oversizedCode, message, data: { bytes, maxBytes } } };
}

/** Which request a skipped line answers: servers write the id first or last. `undefined` where that cannot be determined. */
export function oversizedId(line: OversizedLine): number | undefined {
  const id = (idAtStart.exec(line.head) ?? idAtEnd.exec(line.tail))?.[1];
  return id === undefined ? undefined : Number(id);
}

import { randomBytes } from "node:crypto";
import { createRequestStateCodec } from "@modelcontextprotocol/server";

/** What a call that asked a person continues with when the client calls again with the answer. */
export type Round =
  | { readonly kind: "arguments"; readonly planId: string }
  | { readonly kind: "approval"; readonly runId: string; readonly callId: string; readonly contentHash: string };

/** How long a person may take to answer, in seconds. */
const ttlSeconds = 24 * 60 * 60;

/**
 * States travel through the client, so they are signed: with a key of this process, by method. After a restart the call is made again from its
 * beginning.
 */
export const roundStates = () =>
  createRequestStateCodec<Round>({ key: randomBytes(32), ttlSeconds, bind: ({ mcpReq }) => mcpReq.method });

export type RoundStates = ReturnType<typeof roundStates>;

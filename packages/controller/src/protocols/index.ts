import { planloomProtocol } from "./planloom.ts";
import type { Protocol } from "./protocol.ts";

/** Protocols by name. */
export const protocols = {
  planloom: planloomProtocol,
} satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

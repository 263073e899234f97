import { kirhaProtocol } from "./kirha.ts";
import { planloomProtocol } from "./planloom.ts";
import { plannerAgentProtocol } from "./planner-agent.ts";
import type { Protocol } from "./protocol.ts";

/** Protocols by name. */
export const protocols = {
  planloom: planloomProtocol,
  kirha: kirhaProtocol,
  "planner-agent": plannerAgentProtocol,
} satisfies Record<string, Protocol>;
export type ProtocolName = keyof typeof protocols;

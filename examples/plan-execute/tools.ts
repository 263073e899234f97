import { appendFileSync } from "node:fs";
import { defineTool } from "planloom";

const latencyMs: Readonly<Record<string, number>> = { checkout: 1_900, search: 80, payment: 1_750 };
const logs: Readonly<Record<string, string>> = {
  payment: "pool exhausted: 32 of 32 connections in use since 09:41",
  checkout: "waiting for payment",
};

/** Tools of a shop that is slow. Each call is told by a line in `effects`. */
export function shopTools(effects: string) {
  const tool = (id: string, readOnly: boolean, description: string, execute: (service: string) => unknown) =>
    defineTool({
      id,
      description,
      readOnly,
      input: { type: "object", properties: { service: { type: "string" } }, required: ["service"] },
      execute({ service }) {
        appendFileSync(effects, `${id} ${String(service)}\n`);
        return execute(String(service));
      },
    });
  return [
    tool("latency", true, "Median latency of a service now, in milliseconds.", (service) => latencyMs[service] ?? 0),
    tool("logs", true, "The last warning a service wrote.", (service) => logs[service] ?? "nothing unusual"),
    tool("restart", false, "Restarts a service. Drops its open requests.", (service) => `${service} is up again`),
  ];
}

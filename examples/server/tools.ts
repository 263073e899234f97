import { setTimeout as sleep } from "node:timers/promises";
import { defineTool } from "planloom";
import { z } from "zod";

/** How long a packet takes, so that there is something to watch. */
const packMs = Number(process.env.PACK_MS ?? 200);

export const tools = [
  defineTool({
    id: "orders_list",
    description: "List the open orders",
    input: z.object({}),
    readOnly: true,
    execute: () => [{ id: "o1" }, { id: "o2" }],
  }),
  defineTool({
    id: "orders_pack",
    description: "Pack an order",
    input: z.object({ order: z.string() }),
    // Packing what is packed changes nothing, so an attempt that nobody knows the end of may be made again.
    idempotent: true,
    async execute({ order }, { signal }) {
      await sleep(packMs, undefined, { signal });
      return { order, packed: true };
    },
  }),
];

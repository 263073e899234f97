import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { PlanId } from "./plan-endpoints.ts";
import { RunId } from "./run-views.ts";

const reply = {
  status: 200,
  description: "All that the page shows, as `PageData` of `@planloom/page`.",
  schema: z.looseObject({ format: z.literal("planloom-page/1"), made_at: z.string(), plan: z.unknown() }),
} as const;

export const pageEndpoints = {
  page: {
    summary: "The page that shows plans and runs. It has no data of its own, so it needs no token.",
    tag: "server",
    scope: "open",
    reply: { status: 200, description: "HTML.", type: "text/html" },
  },
  getPlanPage: {
    summary: "What the page shows of a saved plan.",
    tag: "plans",
    scope: "read",
    params: PlanId,
    reply,
  },
  getRunPage: { summary: "What the page shows of a run.", tag: "runs", scope: "read", params: RunId, reply },
} as const satisfies Readonly<Record<string, Endpoint>>;

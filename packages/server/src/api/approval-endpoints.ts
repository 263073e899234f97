import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import { AnyObject, timeQuery } from "./records.ts";
import { RunId, RunSummaryView, WaitingCallView } from "./run-views.ts";

/** What people are asked by runs, and what they answer. */
export const approvalEndpoints = {
  listApprovals: {
    summary: "Every call that a person is asked about, the newest run first.",
    tag: "approvals",
    scope: "read",
    query: z.strictObject({
      q: z.string().max(1_000).optional().describe("A text that the run's title contains."),
      ...timeQuery("Begun"),
    }),
    reply: {
      status: 200,
      description: "Runs with their questions.",
      schema: z.object({ waiting: z.array(z.object({ run: RunSummaryView, calls: z.array(WaitingCallView) })) }),
    },
  },
  answerCall: {
    summary: "Answers a call that waits; a run of the server that ended waiting is resumed.",
    tag: "approvals",
    scope: "approve",
    starts: true,
    params: RunId,
    body: z
      .strictObject({
        id: z.string().describe("`id` of the waiting call."),
        answer: z.enum(["approve", "deny"]),
        content_hash: z.string().describe("Of the question that is answered: of another one it is refused."),
        input: AnyObject.optional().describe("The input to use instead."),
        output: z.unknown().optional().describe("The result of a call of unknown outcome."),
        note: z.string().optional(),
        by: z
          .string()
          .min(1)
          .optional()
          .describe("Who answers, on a server without tokens; otherwise the token's name."),
        replace: z.boolean().optional(),
      })
      .refine(({ answer, input, output }) => answer === "approve" || (input === undefined && output === undefined), {
        message: "no `input` and no `output` with `deny`",
      }),
    reply: {
      status: 200,
      description: "The answer is kept.",
      schema: z.object({
        run_id: z.string(),
        answer: z.looseObject({ task_id: z.string(), content_hash: z.string(), answer: z.string() }),
        resumed: z.boolean(),
      }),
    },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import {
  AnyObject,
  DiffRecord,
  NextCursor,
  PatchRecord,
  PlanRecord,
  pageQuery,
  timeFilter,
  timeQuery,
} from "./records.ts";
import { CreateRun, metadataQuery, onUnknownSetting, statusesQuery, turnSettings } from "./run-requests.ts";
import { RunId, RunStarted, RunSummaryView, RunView } from "./run-views.ts";

export const runEndpoints = {
  createRun: {
    summary: "Runs a goal, a plan or a saved plan; answers when the run is in the journal.",
    tag: "runs",
    scope: "run",
    starts: true,
    body: CreateRun,
    reply: { status: 202, description: "The run has begun and outlives the process.", schema: RunStarted },
  },
  listRuns: {
    summary: "Lists runs, newest first.",
    tag: "runs",
    scope: "read",
    query: z.strictObject({
      status: statusesQuery.optional().describe("One status, or several with commas."),
      q: z.string().max(1_000).optional().describe("A text that the title contains."),
      plan_id: z.string().max(1_000).optional(),
      tenant: z.string().min(1).max(1_000).optional().describe("The key of the tenant that they count for."),
      schedule: z.string().max(1_000).optional().describe("The id of a schedule that began them."),
      metadata: metadataQuery
        .optional()
        .describe('JSON: fields of the metadata with the values they must have, `{"tenant":"acme"}`.'),
      ...timeQuery("Begun"),
      updated_after: timeFilter,
      updated_before: timeFilter,
      ...pageQuery,
    }),
    reply: {
      status: 200,
      description: "A page of runs.",
      schema: z.object({ runs: z.array(RunSummaryView), next_cursor: NextCursor }),
    },
  },
  getRun: {
    summary: "Where a run and each of its tasks are now.",
    tag: "runs",
    scope: "read",
    params: RunId,
    reply: { status: 200, description: "The run.", schema: RunView },
  },
  deleteRun: {
    summary: "Deletes all that is kept of a run that has ended.",
    tag: "runs",
    scope: "run",
    params: RunId,
    reply: { status: 200, description: "It is deleted.", schema: z.object({ run_id: z.string() }) },
  },
  getRunPlan: {
    summary: "The plan of a run, as replans left it, and its revisions.",
    tag: "runs",
    scope: "read",
    params: RunId,
    reply: {
      status: 200,
      description: "The plan.",
      schema: z.object({
        plan: PlanRecord,
        first_plan: PlanRecord.optional().describe("The plan as it was first, where it was changed."),
        revisions: z.array(z.looseObject({ patch: PatchRecord, at: z.number() })),
      }),
    },
  },
  getRunTask: {
    summary: "One task of a run with its input, output and the calls of models in it.",
    tag: "runs",
    scope: "read",
    params: RunId.extend({
      task_id: z
        .string()
        .describe("A task, an element of one (`fetch[42]`), or what is in an element (`out[0]/in[1]`, with `%2F`)."),
    }),
    reply: {
      status: 200,
      description: "The task as it is planned. Secrets are named in it, never shown.",
      schema: z.object({
        task: z.looseObject({ task_id: z.string() }),
        record: z
          .looseObject({ status: z.string(), input: z.unknown(), output: z.unknown() })
          .optional()
          .describe("What became of it; absent before it ended or asked."),
        calls: z.array(z.looseObject({ purpose: z.string(), latency_ms: z.number() })),
      }),
    },
  },
  runEvents: {
    summary: "Events of a run: as they happen (SSE), or with `accept: application/json` those so far.",
    tag: "runs",
    scope: "read",
    params: RunId,
    query: z.strictObject({
      after: z.coerce
        .number()
        .int()
        .min(-1)
        .optional()
        .describe("Only events with a higher `seq`. `Last-Event-ID` goes before it."),
      follow: z
        .enum(["true", "false"])
        .optional()
        .describe("Whether the stream outlives a session that waits for a person or was drained. Default: true."),
    }),
    reply: {
      status: 200,
      description: "One event a message, its `seq` as the id. 204 where the run has ended and nothing is left to send.",
      type: "text/event-stream",
    },
  },
  cancelRun: {
    summary: "Stops a run, also one of another process.",
    tag: "runs",
    scope: "run",
    params: RunId,
    bodyOptional: true,
    body: z.strictObject({
      mode: z.enum(["now", "drain"]).default("now").describe("`drain` lets running calls end; the run can be resumed."),
    }),
    reply: {
      status: 202,
      description: "It is stopped, or its process was asked to.",
      schema: z.object({ run_id: z.string(), state: z.enum(["cancelled", "drained", "requested"]) }),
    },
  },
  resumeRun: {
    summary: "Continues a run that has not completed; completed tasks are not run again.",
    tag: "runs",
    scope: "run",
    starts: true,
    params: RunId,
    bodyOptional: true,
    body: z.strictObject({
      concurrency: z.int().min(1).optional(),
      on_unknown: onUnknownSetting,
      retry_failed: z
        .boolean()
        .optional()
        .describe("Whether failed and skipped tasks are tried again; by default unless the run waits."),
      ...turnSettings,
    }),
    reply: { status: 202, description: "It runs.", schema: RunStarted },
  },
  forkRun: {
    summary: "A new run that keeps what another completed, again from one of its tasks.",
    tag: "runs",
    scope: "run",
    starts: true,
    params: RunId,
    body: z.strictObject({
      from_task: z.string().describe("A task, an element (`fetch[42]`), or what is in an element (`out[0]/in[1]`)."),
      arguments: AnyObject.optional().describe("Other values of arguments of that task."),
      ...turnSettings,
      run_id: CreateRun.shape.run_id,
    }),
    reply: { status: 202, description: "The new run has begun.", schema: RunStarted },
  },
  replanRun: {
    summary: "Puts new tasks in the place of marked ones in a run that nobody executes now.",
    tag: "runs",
    scope: "run",
    starts: true,
    params: RunId,
    body: z.strictObject({ mark: z.array(z.string()).min(1), note: z.string().optional() }),
    reply: {
      status: 200,
      description: "The plan of the run was changed; resume continues with it.",
      schema: z.object({ run_id: z.string(), plan: PlanRecord, patch: PatchRecord, diff: DiffRecord }),
    },
  },
  signalRun: {
    summary: "Sends a signal to a run: a task that waits for the event is completed with the data.",
    tag: "runs",
    scope: "run",
    starts: true,
    params: RunId,
    body: z.strictObject({
      event: z.string().min(1).describe("The name that the task waits for."),
      key: z.string().optional().describe("Which of the waits for the event is meant."),
      data: z.unknown().optional().describe("The output of the task that waits; any JSON of at most 256 KiB."),
      id: z.string().min(1).optional().describe("A second signal of this id is none."),
      by: z
        .string()
        .min(1)
        .optional()
        .describe("Who sends it, on a server without tokens; otherwise the token's name."),
    }),
    reply: {
      status: 200,
      description: "It is kept.",
      schema: z.object({
        run_id: z.string(),
        id: z.string(),
        event: z.string(),
        key: z.string().optional(),
        duplicate: z.boolean().describe("A signal of this id was there before, and says the same."),
        awaited: z.boolean().describe("Whether a task waits for it now; otherwise it is kept for the first that will."),
      }),
    },
  },
} as const satisfies Readonly<Record<string, Endpoint>>;

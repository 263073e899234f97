import { runStatuses } from "planloom/runtime";
import { z } from "zod";
import type { Endpoint } from "./endpoint.ts";
import {
  AnyObject,
  DiffRecord,
  IssueRecord,
  KindName,
  NextCursor,
  PatchRecord,
  PlanInput,
  PlanRecord,
  pageQuery,
  TaskFault,
  Time,
  timeQuery,
} from "./records.ts";

export const RunId = z.object({ run_id: z.string() });

const Status = z.enum(runStatuses);
const TaskStatus = z.enum([
  "pending",
  "running",
  "delayed",
  "waiting_approval",
  "waiting",
  "completed",
  "failed",
  "skipped",
]);

export const WaitingCallView = z.looseObject({
  id: z.string().describe("What an answer names."),
  content_hash: z.string().describe("What an answer is bound to."),
  kind: KindName.optional(),
  uid: z.string().optional(),
  input: AnyObject.optional(),
  begun_at: Time.optional().describe("It was begun then, and it is unknown whether it was carried out."),
  output_schema: z
    .union([z.boolean(), AnyObject])
    .optional()
    .describe("Beside `begun_at`: what an `output` that is given instead is checked by."),
});

const RunSummaryView = z.object({
  run_id: z.string(),
  plan_id: z.string(),
  title: z.string(),
  status: Status,
  tasks: z.int(),
  completed: z.int(),
  failed: z.int(),
  created_at: Time,
  updated_at: Time,
  metadata: AnyObject.optional(),
});

const TaskView = z.object({
  task_id: z.string(),
  title: z.string(),
  status: TaskStatus,
  uid: z.string().optional(),
  attempts: z.int(),
  started_at: z.number().optional().describe("Milliseconds since the epoch."),
  duration_ms: z.number().optional(),
  error: TaskFault.optional(),
  skipped_because: z.string().optional(),
  depends_on: z.array(z.string()),
  elements: AnyObject.optional(),
  input_changed: z
    .literal(true)
    .optional()
    .describe("A person approved a call of it with another input than the plan's."),
  waits: z
    .array(
      z.object({
        id: z.string(),
        due_at: z.string().optional(),
        event: z.string().optional(),
        key: z.string().optional(),
        polls: z.int().optional(),
      }),
    )
    .optional()
    .describe("The times and signals that are waited for."),
  waiting_calls: z.array(z.string()).optional(),
});

const RunView = z.object({
  run_id: z.string(),
  plan_id: z.string(),
  title: z.string(),
  status: Status,
  resumable: z.boolean(),
  created_at: Time,
  updated_at: Time,
  metadata: AnyObject.optional(),
  plan_issues: z
    .array(IssueRecord)
    .optional()
    .describe("What the planner noted, such as parts of the goal it left open."),
  counts: z.partialRecord(TaskStatus, z.int()),
  tasks: z.array(TaskView),
  waiting: z.array(WaitingCallView),
  answers: z.array(
    z.object({
      task_id: z.string(),
      content_hash: z.string(),
      answer: z.enum(["approve", "deny"]),
      uid: z.string().optional(),
      by: z.string().optional().describe("Who answered: the name of the token, or what the command was given."),
      note: z.string().optional(),
      edited_from: z.string().optional().describe("The question whose input was edited."),
      answered_at: Time,
    }),
  ),
});

const RunStarted = z.object({ run_id: z.string(), status: z.literal("running") });

/** Whose turn it is among runs that share limits: checked by the runtime, as the options of a run that they are. */
const turnSettings = {
  priority: z.number().optional().describe("Calls of runs with a higher one go first. Default: 0."),
  weight: z.number().positive().optional().describe("Its share of slots beside runs of the same priority. Default: 1."),
  deadline: z
    .union([z.string(), z.number()])
    .optional()
    .describe(
      "When it should have ended, ISO 8601 with a zone or milliseconds; of one priority the earliest goes first.",
    ),
};

/** What a run may be told, beside what is to be run. */
const runSettings = {
  metadata: AnyObject.optional().describe("Kept with the run; lists can be filtered by it."),
  confirm: z
    .enum(["writes", "destructive", "never"])
    .optional()
    .describe("Which calls wait for a person. Less than the server's own needs the scope `approve`."),
  concurrency: z.int().min(1).optional(),
  ...turnSettings,
  on_failure: z.enum(["continue", "halt"]).optional(),
  on_unknown: z.enum(["ask", "retry", "fail"]).optional(),
};

const CreateRun = z
  .strictObject({
    goal: z
      .union([z.string().min(1), AnyObject])
      .optional()
      .describe("A goal in words, or a job."),
    plan: PlanInput.optional(),
    plan_id: z.string().optional().describe("A saved plan."),
    run_id: z
      .string()
      .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, "an id of at most 128 letters, digits, _, - and .")
      .optional()
      .describe("An id of your own; one that is taken is RUNTIME_RUN_EXISTS."),
    instructions: z.string().optional().describe("How the goal is to be planned, in words."),
    variables: AnyObject.optional(),
    input: AnyObject.optional(),
    ...runSettings,
  })
  .refine(({ goal, plan, plan_id }) => [goal, plan, plan_id].filter((each) => each !== undefined).length === 1, {
    message: "exactly one of `goal`, `plan` and `plan_id`",
  });

/** JSON in the query. */
const metadataQuery = z
  .string()
  .max(10_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "a JSON object" });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

const queryList = z
  .string()
  .max(1_000)
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .pipe(z.array(Status));

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
      status: queryList.optional().describe("One status, or several with commas."),
      q: z.string().max(1_000).optional().describe("A text that the title contains."),
      plan_id: z.string().max(1_000).optional(),
      schedule: z.string().max(1_000).optional().describe("The id of a schedule that began them."),
      metadata: metadataQuery
        .optional()
        .describe('JSON: fields of the metadata with the values they must have, `{"tenant":"acme"}`.'),
      ...timeQuery("Begun"),
      updated_after: z.string().max(100).optional(),
      updated_before: z.string().max(100).optional(),
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
    params: RunId.extend({ task_id: z.string() }),
    reply: {
      status: 200,
      description: "The task. Secrets are named in it, never shown.",
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
      on_unknown: z.enum(["ask", "retry", "fail"]).optional(),
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
      from_task: z.string(),
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

import { runStatuses } from "planloom/runtime";
import { z } from "zod";
import { AnyObject, IssueRecord, KindName, TaskFault, Time } from "./records.ts";

export const RunId = z.object({ run_id: z.string() });

export const Status = z.enum(runStatuses);
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

const AnswerView = z.object({
  task_id: z.string(),
  content_hash: z.string(),
  answer: z.enum(["approve", "deny"]),
  uid: z.string().optional(),
  by: z.string().optional().describe("Who answered: the name of the token, or what the command was given."),
  note: z.string().optional(),
  edited_from: z.string().optional().describe("The question whose input was edited."),
  answered_at: Time,
});

export const WaitingCallView = z.looseObject({
  id: z.string().describe("What an answer names."),
  content_hash: z.string().describe("What an answer is bound to."),
  kind: KindName.optional(),
  uid: z.string().optional(),
  input: AnyObject.optional(),
  retry_until: AnyObject.optional().describe(
    "The call is made again until its condition holds; a yes is one to all of these calls.",
  ),
  begun_at: Time.optional().describe("It was begun then, and it is unknown whether it was carried out."),
  answer: AnswerView.extend({ input: AnyObject.optional(), output: z.unknown().optional() })
    .optional()
    .describe("What a person answered already; the run goes on with it when it is resumed, one in progress by itself."),
  output_schema: z
    .union([z.boolean(), AnyObject])
    .optional()
    .describe("Beside `begun_at`: what an `output` that is given instead is checked by."),
});

export const RunSummaryView = z.object({
  run_id: z.string(),
  plan_id: z.string(),
  title: z.string(),
  status: Status,
  tasks: z.int(),
  completed: z.int(),
  failed: z.int(),
  created_at: Time,
  updated_at: Time,
  tenant: z.string().optional(),
  metadata: AnyObject.optional(),
});

const TaskView = z.object({
  task_id: z.string(),
  title: z.string(),
  status: TaskStatus,
  given: z.literal(true).optional().describe("The plan has it as completed: the run does not call it."),
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

export const RunView = z.object({
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
  answers: z.array(AnswerView),
});

export const RunStarted = z.object({ run_id: z.string(), status: z.literal("running") });

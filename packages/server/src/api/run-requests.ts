import { z } from "zod";
import { AnyObject, PlanInput } from "./records.ts";
import { Status } from "./run-views.ts";

/** Whose turn it is among runs that share limits: checked by the runtime, as the options of a run that they are. */
export const turnSettings = {
  priority: z.number().optional().describe("Calls of runs with a higher one go first. Default: 0."),
  weight: z.number().positive().optional().describe("Its share of slots beside runs of the same priority. Default: 1."),
  deadline: z
    .union([z.string(), z.number()])
    .optional()
    .describe(
      "When it should have ended, ISO 8601 with a zone or milliseconds; of one priority the earliest goes first.",
    ),
};

export const onUnknownSetting = z
  .enum(["ask", "retry", "fail"])
  .optional()
  .describe(
    "What becomes of calls of which it is unknown whether they were carried out. Less than the server's own needs the scope `approve`.",
  );

/** The options of a run in a request, beside what is to be run. */
export const runSettings = {
  metadata: AnyObject.optional().describe("Kept with the run; lists can be filtered by it."),
  confirm: z
    .enum(["writes", "destructive", "never"])
    .optional()
    .describe("Which calls wait for a person. Less than the server's own needs the scope `approve`."),
  concurrency: z.int().min(1).optional(),
  ...turnSettings,
  on_failure: z.enum(["continue", "halt"]).optional(),
  on_unknown: onUnknownSetting,
};

export const CreateRun = z
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
export const metadataQuery = z
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
  // A record leaves a field of this name out, and the filter would be one for all runs.
  .refine((value) => !(typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__")), {
    message: "no field that is called `__proto__`",
    abort: true,
  })
  .pipe(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

/** Statuses with commas. */
export const statusesQuery = z
  .string()
  .max(1_000)
  .transform((text) => text.split(",").filter((each) => each !== ""))
  .pipe(z.array(Status));

import type { OptionChecks, TaskData } from "@planloom/plan";
import type { ApprovalOptions, ConfirmLevel } from "@planloom/runtime";

/** Which calls of scheduled runs people are asked about. Plain JSON, kept with the schedule. */
export interface ScheduledApproval extends Pick<ApprovalOptions, "resources" | "allow" | "expiresAfterMs"> {
  /** Which other calls are confirmed. @default as the scheduler says, else as for any run of a plan */
  readonly confirm?: ConfirmLevel;
}

/** What is checked of each option. */
export const scheduledApprovalChecks = {
  resources: "texts",
  allow: "texts",
  expiresAfterMs: "positive",
  confirm: ["writes", "destructive", "never"],
} as const satisfies OptionChecks<ScheduledApproval>;

export interface ScheduleOptions {
  /** When the plan is run: five fields (minute, hour, day, month, weekday), or six with seconds first. `0 9 * * 1` is every Monday at nine. */
  readonly cron: string;
  /** The time zone of these times, an IANA name. @default "UTC" */
  readonly zone?: string | undefined;
  /** Its id. @default a random one */
  readonly id?: string | undefined;
  /** What happens at a due time while the run before has not ended: `skip` leaves it out, `allow` runs it beside. @default "skip" */
  readonly overlap?: "skip" | "allow" | undefined;
  /**
   * Of due times that passed while no scheduler ran: `last` runs once for all of them, `all` once for each (at most 1,000), `none` not at all; a time of the
   * last minute is never missed. @default "last"
   */
  readonly catchUp?: "last" | "all" | "none" | undefined;
  /** Values of plan variables for its runs. @default those of the plan */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The calls that people are asked about, in addition to what the scheduler and its instance say. @default those alone */
  readonly approval?: ScheduledApproval | undefined;
  /** The caller's own, kept with each of its runs. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export const scheduleChecks = {
  cron: { required: "text" },
  zone: "name",
  id: "name",
  overlap: ["skip", "allow"],
  catchUp: ["last", "all", "none"],
  variables: "object",
  approval: "object",
  metadata: "object",
} as const satisfies OptionChecks<ScheduleOptions>;

/** A schedule. Plain JSON. */
export interface Schedule {
  readonly schedule_id: string;
  readonly title: string;
  readonly cron: string;
  readonly zone: string;
  readonly overlap: "skip" | "allow";
  readonly catch_up: "last" | "all" | "none";
  readonly paused: boolean;
  /** ISO 8601, UTC, as all times here. */
  readonly created_at: string;
  /** Absent where no further time fits, and while it is paused. */
  readonly next_at?: string;
  /** The run that was started last. */
  readonly last_run_id?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly approval?: ScheduledApproval;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What became of one due time. Plain JSON. */
export interface ScheduleFire {
  readonly due_at: string;
  /**
   * `starting`: a process is about to run it. `started`: as `run_id`. `skipped`: the run before had not ended. `missed`: no scheduler ran then. `failed`: it could
   * not be started, as `message` says.
   */
  readonly state: "starting" | "started" | "skipped" | "missed" | "failed";
  readonly run_id?: string;
  readonly message?: string;
}

/** A due time that this process is to run now. */
export interface DueFire {
  readonly schedule: Schedule;
  readonly plan: TaskData;
  readonly due_at: string;
  readonly run_id: string;
  /** The run before, which must have ended where runs may not overlap. */
  readonly previous?: string;
}

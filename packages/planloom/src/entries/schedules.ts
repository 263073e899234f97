// Runs at the times of a cron pattern: the schedules of a journal, with or without a `Planloom`, and the loop that starts what is due.
export { runScheduler, type SchedulerOptions, type SchedulerParts } from "../scheduler.ts";
export { approvalOf } from "../schedules/approval-of.ts";
export type { DueFire, Schedule, ScheduledApproval, ScheduleFire, ScheduleOptions } from "../schedules/schedule.ts";
export { Schedules } from "../schedules/schedules.ts";

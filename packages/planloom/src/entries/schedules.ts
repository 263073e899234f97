// Runs at the times of a cron pattern: the schedules of a journal, with or without a `Planloom`, and the loop that starts what is due.
export type { SchedulerOptions } from "../scheduler.ts";
export type { DueFire, Schedule, ScheduleFire, ScheduleOptions } from "../schedules/schedule.ts";
export { Schedules } from "../schedules/schedules.ts";

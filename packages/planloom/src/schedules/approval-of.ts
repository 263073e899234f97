import type { ApprovalOptions } from "@planloom/runtime";
import type { SchedulerOptions } from "../scheduler.ts";
import type { Schedule } from "./schedule.ts";

/**
 * The approvals of a scheduled run. Gates add up: what the instance, the scheduler or the schedule has people asked about, they are asked
 * about. A call that one of them allows is not confirmed, and a yes holds for the shortest of their times.
 * @param instance the approvals of the instance whose scheduler begins the run
 */
export function approvalOf(
  { approval: own = {} }: Schedule,
  given: Pick<SchedulerOptions, "approval" | "confirm">,
  instance: ApprovalOptions | undefined,
): Pick<SchedulerOptions, "approval" | "confirm"> {
  const all = [instance ?? {}, given.approval ?? {}, own];
  const resources = [...new Set(all.flatMap((each) => each.resources ?? []))];
  const allow = [...new Set(all.flatMap((each) => each.allow ?? []))];
  const times = all.flatMap(({ expiresAfterMs }) => expiresAfterMs ?? []);
  const confirm = own.confirm ?? given.confirm;
  return {
    approval: {
      resources,
      allow,
      ...(times.length > 0 && { expiresAfterMs: Math.min(...times) }),
    },
    ...(confirm !== undefined && { confirm }),
  };
}

import { EVERY_TASK, type Limits } from "../core/limits.ts";
import type { StoredCertificate } from "../journal/journal.ts";
import type { Certificate } from "../run-result.ts";
import { toStoredTime } from "./task-timing.ts";

/** What a session says of itself in the journal when it ends. @param startedAt `performance.now()` at its start. */
export function storedCertificate(certificate: Certificate, limits: Limits, startedAt: number): StoredCertificate {
  const kinds: [string, number][] = [];
  const resources: [string, number][] = [];
  for (const [group, name] of limits.names.entries()) {
    if (group === EVERY_TASK || limits.capacity[group] === Number.POSITIVE_INFINITY) continue;
    const sort = name.slice(0, name.indexOf(" "));
    const entry: [string, number] = [name.slice(sort.length + 1), limits.capacity[group]!];
    (sort === "kind" ? kinds : resources).push(entry);
  }
  const { waits, regroupings } = certificate;
  const concurrency = limits.capacity[EVERY_TASK]!;
  return {
    began_at: toStoredTime(performance.timeOrigin, startedAt),
    limits: {
      concurrency: concurrency === Number.POSITIVE_INFINITY ? null : concurrency,
      kinds: Object.fromEntries(kinds),
      resources: Object.fromEntries(resources),
    },
    lower_bound_ms: certificate.lowerBoundMs,
    achieved_ms: certificate.achievedMs,
    ratio: certificate.ratio,
    ...(regroupings !== undefined && { regroupings }),
    ...(waits && {
      waits: {
        approval_ms: waits.approvalMs,
        retry_ms: waits.retryMs,
        limit_ms: waits.limitMs,
        ...(waits.timeMs !== undefined && { time_ms: waits.timeMs }),
      },
    }),
  };
}

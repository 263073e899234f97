import { readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** Who runs a run. */
export interface LeaseOwner {
  /** Unique per session of a run. */
  readonly token: string;
  /** Processes with equal `host` can tell by `pid` whether the other one lives. */
  readonly host: string;
  readonly pid: number;
}

export interface Lease {
  readonly owner: LeaseOwner;
  /** Last sign of life, milliseconds since the epoch. */
  readonly seenAt: number;
}

/** A lease without a sign of life for this long may be taken over. */
export const leaseTimeoutMs = 30_000;
/** How often the owner says that it is alive. */
export const leaseRenewalMs = 5_000;

export function processOwner(token: string): LeaseOwner {
  return { token, host: processHost(), pid: process.pid };
}

/**
 * True when the owner is gone: its process on this host does not exist any more (after a kill the run can be resumed at
 * once), or it gave no sign of life for `leaseTimeoutMs`. Should it come back, its next write is refused.
 */
export function isStale(lease: Lease, now: number): boolean {
  if (lease.owner.host === processHost() && !isAlive(lease.owner.pid)) return true;
  // A clock that was set back makes a sign of life lie in the future.
  return Math.abs(now - lease.seenAt) > leaseTimeoutMs;
}

export function leasedError(runId: string, { owner }: Lease): RuntimeError {
  const [name] = owner.host.split(" ");
  return new RuntimeError(
    RuntimeErrorCode.RUN_LEASED,
    `Run "${runId}" is being run by process ${owner.pid} on ${name}. Wait for it, or cancel it first.`,
    { details: { run_id: runId, owner: { host: owner.host, pid: owner.pid } } },
  );
}

export function leaseLostError(runId: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.LEASE_LOST,
    `Run "${runId}" was taken over by another process or deleted; this one stopped writing it.`,
    { details: { run_id: runId } },
  );
}

let host: string | undefined;

/** The host's name, and on Linux the process namespace: equal process ids in two containers are two processes. */
function processHost(): string {
  if (host !== undefined) return host;
  let namespace = "";
  try {
    namespace = ` ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Not Linux: the name alone.
  }
  host = hostname() + namespace;
  return host;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it exists and belongs to somebody else.
    return (error as { code?: string }).code === "EPERM";
  }
}

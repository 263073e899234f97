import { newId } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { forgetToken, noteToken, type Observer, type ProcessIdentity, thisProcess } from "./process-identity.ts";

/** Who runs a run. A journal keeps it whole. */
export interface LeaseOwner {
  /** Random, unique per session of a run. */
  readonly token: string;
  /** Processes with equal `host` share their process ids. */
  readonly host: string;
  readonly pid: number;
  /** Distinguishes the process from an earlier one with the same id. @default unknown */
  readonly process?: ProcessIdentity;
}

/** What one observer saw of a lease when it first asked for it, by its own clock. */
export interface Sighting {
  readonly beat: number;
  readonly atMs: number;
}

export interface Lease {
  readonly owner: LeaseOwner;
  /** How often the owner has said that it is alive. */
  readonly beat: number;
  /** When it last did, by the clock that processes since one boot share; absent where the owner did not say. */
  readonly seenMs?: number;
  /** By name of the observer. */
  readonly sightings?: Readonly<Record<string, Sighting>>;
}

/** A lease whose owner can be proved neither dead nor alive may be taken over when it gave no sign of life for this long. */
export const leaseTimeoutMs = 30_000;
/** How often the owner says that it is alive. */
export const leaseRenewalMs = 5_000;

/** This process as the owner of a lease; it counts as alive until `releaseOwner`. */
export function processOwner(token: string): LeaseOwner {
  const { host, pid, process } = thisProcess();
  noteToken(token);
  return { token, host, pid, process };
}

/** The session is over, whether or not the journal could store that: this process may take the run over again. */
export function releaseOwner({ token }: LeaseOwner): void {
  forgetToken(token);
}

/** Gives `session` an owner of its own, which counts as alive until the session has ended, however it ends. */
export async function asOwner<T>(session: (owner: LeaseOwner) => Promise<T>): Promise<T> {
  const owner = processOwner(newId());
  try {
    return await session(owner);
  } finally {
    releaseOwner(owner);
  }
}

/** `unknown`: on another machine, in another container, or where the system does not say when a process started. */
export function livenessOf({ token, host, pid, process }: LeaseOwner, here: Observer): "alive" | "dead" | "unknown" {
  const otherBoot =
    process?.boot !== undefined && here.process.boot !== undefined && process.boot !== here.process.boot;
  // A machine of this name that was started again since; its processes went with it.
  if (otherBoot) return nameOf(host) === nameOf(here.host) ? "dead" : "unknown";
  if (host !== here.host) return "unknown";
  if (!here.exists(pid)) return "dead";
  const known = process?.started !== undefined && here.process.started !== undefined;
  if (known && process.started !== (pid === here.pid ? here.process.started : here.startOf(pid))) return "dead";
  if (pid !== here.pid) return known ? "alive" : "unknown";
  if (here.holds(token)) return "alive";
  // Another thread may hold it, or another process had this id before.
  return process?.thread === here.process.thread ? "dead" : "unknown";
}

/**
 * True when the lease may be taken over. Of an owner on this machine the system says whether its process lives: a dead one's
 * lease is free at once, a living one's never, however long the process is blocked and even if its clock is wrong. Of any other owner only
 * monotonic clocks are believed: the one that processes since one boot share, else this observer's own, from its first look on.
 * Should the owner come back, its next write is refused.
 */
export function isStale(lease: Lease, here: Observer = thisProcess()): boolean {
  const liveness = livenessOf(lease.owner, here);
  if (liveness !== "unknown") return liveness === "dead";
  const now = here.monotonicMs();
  const boot = lease.owner.process?.boot;
  const silentMs = boot !== undefined && boot === here.process.boot ? now - (lease.seenMs ?? now) : -1;
  if (silentMs >= 0) return silentMs > leaseTimeoutMs;
  const sighting = lease.sightings?.[observerName(here)];
  return sighting !== undefined && sighting.beat === lease.beat && now - sighting.atMs > leaseTimeoutMs;
}

/** The lease's sightings with that of this observer, which stays as it is while the owner says nothing. */
export function withSighting({ beat, sightings = {} }: Lease, here: Observer = thisProcess()): Lease["sightings"] {
  const name = observerName(here);
  const before = sightings[name];
  const now = here.monotonicMs();
  // A monotonic clock that shows less than before was reset: the machine was started again.
  if (before?.beat === beat && before.atMs <= now) return sightings;
  const current = Object.entries(sightings).filter(([, sighting]) => sighting.beat === beat);
  return { ...Object.fromEntries(current), [name]: { beat, atMs: now } };
}

export function leasedError(runId: string, { owner }: Lease, here: Observer = thisProcess()): RuntimeError {
  const where = `process ${owner.pid} on ${nameOf(owner.host)}`;
  const advice = {
    alive: `That process is alive, so its run cannot be taken over: wait, cancel the run, or end the process.`,
    unknown: `It cannot be seen from here whether that process is alive: wait, cancel the run, or try again after ${leaseTimeoutMs / 1_000} seconds without a sign of life.`,
    dead: "Try again.",
  }[livenessOf(owner, here)];
  return new RuntimeError(RuntimeErrorCode.RUN_LEASED, `Run "${runId}" is being run by ${where}. ${advice}`, {
    details: { run_id: runId, owner: { host: owner.host, pid: owner.pid } },
  });
}

export function leaseLostError(runId: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.LEASE_LOST,
    `Run "${runId}" was taken over by another process or deleted; this one stopped writing it.`,
    { details: { run_id: runId } },
  );
}

/** Without the process namespace. */
function nameOf(host: string): string {
  return host.split(" ")[0] ?? host;
}

/** Processes since one boot of one machine share a clock, and so what they saw. */
function observerName({ host, process }: Observer): string {
  return process.boot ?? host;
}

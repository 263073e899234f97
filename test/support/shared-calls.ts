import type { RunOptions, SharedLimits } from "@planloom/runtime";
import { registry } from "../../packages/runtime/src/executors/registry.ts";
import { readClaim } from "../../packages/runtime/src/ports/run-claim.ts";
import type { Slot } from "../../packages/runtime/src/shared-limits/slot.ts";

/** A run of calls to one resource, which asks for all of them when it comes. */
export interface CallingRun extends Pick<RunOptions, "tenant" | "priority" | "weight" | "deadline"> {
  readonly name: string;
  readonly resource?: string;
  readonly atMs?: number;
  /** How long each call takes, in the order of asking. */
  readonly callsMs: readonly number[];
}

/** A call that was made. */
export interface MadeCall {
  readonly run: string;
  readonly beganMs: number;
  readonly endedMs: number;
}

/** A clock that events move. */
export class Clock {
  ms = 0;
  readonly now = (): number => this.ms;
}

/** Plays runs against limits in simulated time. @returns the calls, in the order in which they began */
export async function playCalls(limits: SharedLimits, clock: Clock, runs: readonly CallingRun[]): Promise<MadeCall[]> {
  const made: MadeCall[] = [];
  const events: { readonly atMs: number; readonly happen: () => void }[] = [];
  const at = (ms: number, happen: () => void) => {
    const place = events.findIndex(({ atMs }) => atMs > ms);
    events.splice(place === -1 ? events.length : place, 0, { atMs: ms, happen });
  };
  for (const run of runs) {
    at(run.atMs ?? 0, () => {
      const shared = limits.join(run.tenant, noResources, 10_000, readClaim(run));
      const lane = shared.lane({ kind: "tool", id: run.resource ?? "work" });
      for (const callMs of run.callsMs) {
        const begin = (slot: Slot) => {
          made.push({ run: run.name, beganMs: clock.ms, endedMs: clock.ms + callMs });
          at(clock.ms + callMs, () => slot.release());
        };
        const slot = shared.takeNow(lane);
        if (slot !== undefined) begin(slot);
        else shared.wait(lane, { go: () => begin(shared.take(lane)!), refuse: (error) => raise(error) });
      }
    });
  }
  for (let event = events.shift(); event !== undefined; event = events.shift()) {
    clock.ms = event.atMs;
    event.happen();
    while (events[0]?.atMs === clock.ms) events.shift()!.happen();
    // Calls that wait are let in a microtask after a slot was given back.
    for (let turn = 0; turn < 4; turn++) await null;
  }
  return made;
}

function raise(error: unknown): never {
  throw error;
}

const noResources = registry([]);

import type { Admission } from "../admission/admission.ts";
import type { RunEvent } from "../events.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import { ownRights } from "../task-execution/call-rights.ts";
import { ownPlan } from "../task-execution/plan-position.ts";
import type { RunHost } from "../task-execution/run-host.ts";
import { RunWaits } from "../waiting/run-waits.ts";

/** What the caller of a run gives it. */
export interface OutermostRun extends Pick<RunHost, "onEvent" | "drain" | "firstSeq"> {
  readonly runId: string;
  readonly admission: Admission;
  readonly secrets: SecretResolver | undefined;
  /** As of the option of this name. */
  readonly waitHereMs: number;
  /** Types of events that a resumption needs. */
  readonly neededEvents: ReadonlySet<RunEvent["type"]>;
}

/** A run that is kept nowhere. */
export function unkeptHost({ runId, admission, secrets, onEvent, drain, firstSeq }: OutermostRun): RunHost {
  const waits = new RunWaits();
  return {
    position: ownPlan,
    keyPrefix: runId,
    depth: 0,
    onEvent,
    // It is in no journal by which it could be found.
    feed: undefined,
    firstSeq,
    readAnswers: undefined,
    waits,
    // Nothing could wake it again.
    waitHereMs: Number.POSITIVE_INFINITY,
    rights: ownRights(admission),
    secrets,
    drain,
    isHalted: () => false,
    abandoned: () => () => {},
    callRecorder: undefined,
    writer: () => undefined,
    nestedWriter: () => undefined,
    keepNested: async () => {},
    keepCalls: async () => {},
    keptNested: async () => [],
    keepRevision: async () => {},
    open() {},
    settle: async () => undefined,
    end: async () => {},
    giveUp: async () => {},
    close() {
      waits.close();
      admission.close();
    },
  };
}

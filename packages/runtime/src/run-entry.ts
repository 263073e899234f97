import { anySignal } from "./any-signal.ts";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import type { RunEvent } from "./events.ts";
import type { OutermostRun } from "./hosts/unkept-host.ts";
import { JsonCopyError, jsonCopy } from "./json-copy.ts";
import { ownSecrets, type Session } from "./plan-execution/session.ts";
import { readClaim } from "./ports/run-claim.ts";
import type { RunResult } from "./run-result.ts";
import type { RunOptions } from "./run-settings.ts";

const none: ReadonlySet<RunEvent["type"]> = new Set();
const splits: ReadonlySet<RunEvent["type"]> = new Set(["subgraph-split"]);

/** What the host of a run of its own is made with. */
export function outermostRun(session: Session, options: RunOptions): OutermostRun {
  const { runId, admission } = session.whole;
  const { onEvent, drain } = options;
  const { waitHereMs } = session.plan.settings;
  return {
    runId,
    admission,
    onEvent,
    drain,
    firstSeq: 0,
    waitHereMs,
    secrets: ownSecrets(session, options),
    neededEvents: session.dispatch?.adaptive === undefined ? none : splits,
  };
}

/**
 * Does `work` once the limits that the run shares with others (`shared`) let it begin, and gives its place back afterwards. `waited` says
 * whether it had to wait for its turn. @throws RuntimeError QUEUE_FULL
 */
export async function withinSharedLimits(
  options: Pick<RunOptions, "shared" | "tenant" | "priority" | "weight" | "deadline" | "signal" | "drain">,
  work: (waited: boolean) => Promise<RunResult>,
): Promise<RunResult> {
  const { shared, tenant, signal, drain } = options;
  if (shared === undefined) return work(false);
  const { leave, waited } = await shared.enter(tenant, anySignal(signal, drain), readClaim(options));
  try {
    return await work(waited);
  } finally {
    leave();
  }
}

export type PlainData = Readonly<Record<string, unknown>>;

/** A copy of the caller's data as JSON. @throws RuntimeError INVALID_OPTION naming `option` */
export function readData(option: "input" | "metadata" | "variables", data: PlainData): PlainData {
  try {
    return jsonCopy(data, { maxBytes: Number.POSITIVE_INFINITY, finite: true }).value as PlainData;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, `Expected \`${option}\` to be JSON: ${error.message}`, {
      details: { option },
      cause: error,
    });
  }
}

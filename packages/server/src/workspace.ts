import type { Journal, Planloom, PlanStore } from "planloom";
import { type ControllerService, controllerService } from "planloom/controller";
import { RunFeeds } from "./events/run-feeds.ts";
import type { Log } from "./log.ts";
import { ownRuns } from "./own-runs.ts";
import { PlanIndex } from "./plan-index.ts";
import type { ServerStore } from "./stores/server-store.ts";

/** What a tenant, or the server itself, works with. */
export interface WorkspaceParts {
  readonly planloom: Planloom;
  readonly plans: PlanStore;
  readonly store: ServerStore;
  readonly controllerTimeoutMs: number | undefined;
  readonly heartBeatMs: number;
  /** Clients that may listen to events at once. */
  readonly maxListeners: number;
  /** Who answers where no one says so. */
  readonly anonymousName: string;
}

/** One home: the plans, runs, tools and controller of a tenant, or those of the server itself. Nothing of it is reached from another. */
export class Workspace {
  readonly planloom: Planloom;
  readonly plans: PlanStore;
  readonly store: ServerStore;
  readonly controller: ControllerService;
  readonly feeds: RunFeeds;
  readonly index: PlanIndex;
  readonly anonymousName: string;
  readonly #log: Log;

  constructor(parts: WorkspaceParts, log: Log) {
    const { planloom, plans, store, controllerTimeoutMs, heartBeatMs, maxListeners, anonymousName } = parts;
    this.planloom = planloom;
    this.plans = plans;
    this.store = store;
    this.anonymousName = anonymousName;
    this.#log = log;
    this.index = new PlanIndex(plans);
    this.feeds = new RunFeeds(planloom, { heartBeatMs, maxListeners });
    this.controller = controllerService({
      controller: planloom.controller,
      resources: () => planloom.resources,
      samples: store.samples,
      ...(controllerTimeoutMs !== undefined && { timeoutMs: controllerTimeoutMs }),
    });
  }

  journal(): Promise<Journal> {
    return this.planloom.journal();
  }

  /**
   * Starts a run and returns its id once it is in the journal. The run continues after that without the caller.
   * @param start starts the run with these options: a listener, and a signal that is aborted if the caller leaves before the run began
   * @throws what `start` rejects with before the run began
   */
  async begin(
    start: (call: { onEvent: (event: { readonly runId: string }) => void; signal: AbortSignal }) => Promise<{
      readonly run_id: string;
    }>,
    caller: AbortSignal,
  ): Promise<string> {
    const begun = Promise.withResolvers<string>();
    const leave = new AbortController();
    const onLeave = () => leave.abort(caller.reason);
    if (caller.aborted) onLeave();
    caller.addEventListener("abort", onLeave, { once: true });
    let runId: string | undefined;
    const onEvent = (event: { readonly runId: string }) => {
      if (runId !== undefined) return;
      runId = event.runId;
      caller.removeEventListener("abort", onLeave);
      begun.resolve(runId);
    };
    start({ onEvent, signal: leave.signal }).then(
      // What had ended already may end again without an event.
      ({ run_id }) => begun.resolve(run_id),
      (error) => {
        caller.removeEventListener("abort", onLeave);
        begun.reject(error);
        if (runId !== undefined) this.#log.error({ run_id: runId, err: error }, "a run ended with an error");
      },
    );
    return begun.promise;
  }

  /** Continues a run in the background: what failed in it stays so. What refuses it (another process has it, it was deleted) is logged. */
  goOn(runId: string): void {
    this.planloom.resume(runId, { retryFailed: false }).catch((error) => {
      this.#log.warn({ run_id: runId, err: error }, "a run could not be resumed");
    });
  }

  /**
   * Resumes runs in which a time has come or a signal was sent, until the Planloom is closed: those that a server began. Others may need tools that are not here,
   * or mean another one by the same name.
   */
  wakeDueRuns(): void {
    this.planloom.scheduler({ withMetadata: ownRuns }).catch((error) => {
      const { code } = error as { readonly code?: unknown };
      // A journal without waits has nothing that could be due.
      if (code !== "RUNTIME_NO_WAITS" && code !== "PLANLOOM_CLOSED")
        this.#log.error({ err: error }, "runs that are due are not resumed any more");
    });
  }

  /** Lets running calls end for at most so long, and closes everything; the streams end with it. */
  async close(drainMs: number): Promise<void> {
    this.feeds.stop();
    await this.planloom.close({ drainMs });
    await this.feeds.close();
    await this.store.close();
  }
}

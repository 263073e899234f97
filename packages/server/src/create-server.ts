import { memoryPlans, type Planloom } from "planloom";
import { resumableStatuses } from "planloom/runtime";
import { Doorway } from "./access/doorway.ts";
import type { Caller } from "./access/tokens.ts";
import { checkOptions } from "./check-options.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";
import { type Log, noLog } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { ownRuns } from "./own-runs.ts";
import { type RequestEnvironment, requestHandler } from "./request-handler.ts";
import { checkBasePath, type ServerOptions, serverChecks, type TenantHome } from "./server-options.ts";
import { memoryStore } from "./stores/memory-store.ts";
import { Workspace } from "./workspace.ts";

export interface PlanloomServer {
  /**
   * Answers one request. It is a standard fetch handler: mount it in Hono, Next.js, Express by an adapter, or `Bun.serve`. Never rejects.
   * @param environment what `@hono/node-server` gives; with it the address of a client is known, and a body that is refused closes its connection
   */
  fetch(request: Request, environment?: RequestEnvironment): Promise<Response>;
  /** Whether everyone who reaches it may do everything: it has no tokens. */
  readonly isOpen: boolean;
  /**
   * Continues the runs that a server began and the last process left (`resumableStatuses`), and is ready from then on. Requests are answered before, too.
   * @returns how many runs were taken up
   */
  start(): Promise<number>;
  /**
   * Takes no more requests, lets running calls end for at most `drainMs`, closes every Planloom that it was given and ends the streams. Runs that have
   * not finished are taken up by the next `start`. A second call waits for the first.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/**
 * Planloom behind HTTP, as a handler of requests. It owns what it is given: `close` closes the Planloom.
 * @throws ServerError OPTION
 */
export function createServer(planloom: Planloom, options: ServerOptions = {}): PlanloomServer {
  checkOptions("`createServer`", options, serverChecks);
  const { log = planloom?.logger ?? noLog, now = Date.now, tenants = {} } = options;
  const basePath = checkBasePath(options.basePath);
  const doorway = new Doorway(options, now);
  const own = workspaceOf({ planloom, ...options }, options, log);
  const ofTenants = new Map(Object.entries(tenants).map(([name, home]) => [name, workspaceOf(home, options, log)]));
  const all = [own, ...ofTenants.values()];
  const state = { isReady: false, isStopping: false };
  const fetch = requestHandler({
    doorway,
    basePath,
    state,
    log,
    now,
    metrics: new Metrics(all),
    bodyLimits: { maxBytes: options.maxBodyBytes ?? 8 * 1024 * 1024, timeoutMs: options.bodyTimeoutMs ?? 30_000 },
    cors: options.cors ?? [],
    journals: all.map((workspace) => workspace.planloom.describe().journal.name),
    workspaceOf: (caller: Caller) => (caller.tenant === undefined ? own : ofTenants.get(caller.tenant)!),
  });
  let closing: Promise<void> | undefined;
  const close = async (drainMs: number) => {
    state.isStopping = true;
    await Promise.all(all.map((workspace) => workspace.close(drainMs)));
  };
  return {
    fetch,
    isOpen: doorway.isOpen,
    async start() {
      const resumed = options.resumeRuns === false ? [] : all;
      const counts = await Promise.all(resumed.map((workspace) => takeUp(workspace)));
      for (const workspace of resumed) workspace.wakeDueRuns();
      state.isReady = true;
      return counts.reduce((sum, count) => sum + count, 0);
    },
    close({ drainMs = 0 } = {}) {
      closing ??= close(drainMs);
      return closing;
    },
  };
}

/** @throws ServerError OPTION */
function workspaceOf({ planloom, plans, store }: TenantHome, options: ServerOptions, log: Log): Workspace {
  if (typeof planloom?.runStatus !== "function") {
    const message = "Expected a Planloom: `createServer(new Planloom({ … }), options)`, and one in each of `tenants`.";
    throw new ServerError(ServerErrorCode.OPTION, message, { details: { option: "planloom" } });
  }
  const parts = {
    planloom,
    plans: plans ?? memoryPlans(),
    store: store ?? memoryStore(),
    controllerTimeoutMs: options.controllerTimeoutMs,
    heartBeatMs: options.heartBeatMs ?? 15_000,
    maxListeners: options.maxListeners ?? 2_000,
    anonymousName: options.anonymousName ?? "anonymous",
  };
  return new Workspace(parts, log);
}

async function takeUp(workspace: Workspace): Promise<number> {
  const journal = await workspace.journal();
  const left = await journal.listRuns({
    status: resumableStatuses,
    metadata: ownRuns,
    limit: Number.POSITIVE_INFINITY,
  });
  for (const { run_id } of left) workspace.goOn(run_id);
  return left.length;
}

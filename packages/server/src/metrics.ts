import type { Planloom } from "planloom";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Workspace } from "./workspace.ts";

/** The figures of a server, in a registry of its own, so that two servers of one process do not add up. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<"endpoint" | "status">;
  readonly #durations: Histogram<"endpoint">;
  readonly #tasks: Counter<"status">;
  readonly #runs: Counter<"end_reason">;

  constructor(workspaces: readonly Workspace[]) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: "planloom_http_requests_total",
      help: "Requests by endpoint and status",
      labelNames: ["endpoint", "status"],
      registers,
    });
    this.#durations = new Histogram({
      name: "planloom_http_request_duration_seconds",
      help: "How long answers took, to their first byte",
      labelNames: ["endpoint"],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers,
    });
    this.#tasks = new Counter({
      name: "planloom_tasks_total",
      help: "Tasks that ended, by how",
      labelNames: ["status"],
      registers,
    });
    this.#runs = new Counter({
      name: "planloom_runs_ended_total",
      help: "Sessions of runs that ended, by why",
      labelNames: ["end_reason"],
      registers,
    });
    const now = (name: string, help: string, read: (workspace: Workspace) => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(workspaces.reduce((sum, workspace) => sum + read(workspace), 0));
        },
      });
    now("planloom_runs", "Runs that are executed now", ({ planloom }) => planloom.limits.load().runs);
    now("planloom_runs_queued", "Runs that wait for their turn", ({ planloom }) => planloom.limits.load().queuedRuns);
    now("planloom_calls", "Calls that are made now", ({ planloom }) => planloom.limits.load().calls);
    now("planloom_calls_queued", "Calls that wait", ({ planloom }) => planloom.limits.load().queuedCalls);
    now("planloom_event_listeners", "Clients that listen to events", ({ feeds }) => feeds.listening);
    for (const { planloom } of workspaces) this.#watch(planloom);
  }

  /** Counts one answer by the name of its endpoint; `none` for an unknown path. */
  answered(endpoint: string, status: number, seconds: number): void {
    this.#requests.inc({ endpoint, status });
    this.#durations.observe({ endpoint }, seconds);
  }

  async text(): Promise<Response> {
    return new Response(await this.#registry.metrics(), { headers: { "content-type": this.#registry.contentType } });
  }

  #watch(planloom: Planloom): void {
    planloom.on("task-end", () => this.#tasks.inc({ status: "completed" }));
    planloom.on("task-error", () => this.#tasks.inc({ status: "failed" }));
    planloom.on("task-skip", () => this.#tasks.inc({ status: "skipped" }));
    planloom.on("run-end", ({ endReason }) => this.#runs.inc({ end_reason: endReason }));
  }
}

import { batch, computed, signal } from "@preact/signals";
import type { PageData } from "../src/page-data.ts";
import { TokenWanted } from "./http-source.ts";
import { layoutPlan, type PlanLayout } from "./layout/layout-plan.ts";
import LayoutWorker from "./layout/layout-worker.ts?worker&inline";
import { criticalPath } from "./model/critical-path.ts";
import { historyOf, RunHistory } from "./model/history.ts";
import { Reloader } from "./model/reloader.ts";
import { openRunStatuses, statuses } from "./model/status.ts";
import type { PageSource, PageTarget, RunAction } from "./source.ts";

/** Plans with more tasks than this are laid out by a worker. */
const maxTasksInPage = 500;

/** How often a run that has ended is asked for again where that fails: after the end nothing else asks for it. */
const retriesAfterEnd = 5;

/** What the page shows, and what is selected. Views read signals; only this class writes them. */
export class PageState {
  readonly data = signal<PageData | undefined>(undefined);
  readonly layout = signal<PlanLayout | undefined>(undefined);
  readonly error = signal<string | undefined>(undefined);
  /** The server wants a token: what is wrong with the one that it got, empty where it got none. */
  readonly wantsToken = signal<string | undefined>(undefined);
  readonly notice = signal<string | undefined>(undefined);
  /** Number of a task; -1: none. */
  readonly selected = signal(-1);
  /** The moment that is shown; undefined: now. */
  readonly time = signal<number | undefined>(undefined);
  /** One more for each change of statuses. */
  readonly version = signal(0);
  readonly isLive = signal(false);
  readonly showsCritical = signal(true);
  history = new RunHistory([]);
  statusNumbers = new Uint8Array();
  readonly source: PageSource;
  #index = new Map<string, number>();
  #following: AbortController | undefined;
  #frame = 0;

  constructor(source: PageSource) {
    this.source = source;
  }

  readonly counts = computed(() => {
    void this.version.value;
    const counts = new Uint32Array(statuses.length);
    for (const status of this.statusNumbers) counts[status]! += 1;
    return counts;
  });

  readonly critical = computed((): ReadonlySet<number> => {
    void this.version.value;
    const data = this.data.value;
    if (data?.run === undefined || !this.showsCritical.value) return new Set();
    return new Set(criticalPath(data.plan.tasks.length, data.plan.edges, this.history.attempts, this.history.to));
  });

  async open(target: PageTarget | undefined): Promise<void> {
    this.#following?.abort();
    const following = new AbortController();
    this.#following = following;
    try {
      const data = await this.source.load(target, following.signal);
      if (following.signal.aborted) return;
      this.show(data);
      if (data.run === undefined || this.source.server === undefined) return;
      this.#follow(data.run.run_id, following.signal);
    } catch (error) {
      if (!following.signal.aborted) this.fail(error);
    }
  }

  /** Says that nothing can be shown. */
  fail(error: unknown): void {
    if (error instanceof TokenWanted) this.wantsToken.value = error.message;
    else this.error.value = messageOf(error);
  }

  /** Does something that may be refused, and says so beside what is shown. */
  async attempt(work: () => Promise<void>): Promise<void> {
    this.notice.value = undefined;
    try {
      await work();
    } catch (error) {
      if (error instanceof TokenWanted) this.wantsToken.value = error.message;
      else this.notice.value = messageOf(error);
    }
  }

  show(data: PageData): void {
    const ids = data.plan.tasks.map(({ task_id }) => task_id);
    const isSamePlan = ids.length === this.#index.size && ids.every((id, at) => this.#index.get(id) === at);
    const selectedId = this.data.value?.plan.tasks[this.selected.value]?.task_id;
    this.#index = new Map(ids.map((id, number) => [id, number]));
    this.history = data.run === undefined ? new RunHistory(ids) : historyOf(ids, data.run);
    this.statusNumbers = new Uint8Array(ids.length);
    batch(() => {
      this.error.value = undefined;
      this.data.value = data;
      this.selected.value = this.#index.get(selectedId ?? "") ?? -1;
      if (!isSamePlan) this.layout.value = undefined;
      this.#setStatuses();
    });
    if (!isSamePlan) this.#layOut(data);
  }

  /** Whether what is shown is a run that has ended for good. */
  get isOver(): boolean {
    const status = this.data.peek()?.run?.status;
    return status !== undefined && !openRunStatuses.has(status);
  }

  numberOf(taskId: string): number {
    return this.#index.get(taskId) ?? -1;
  }

  select(task: number): void {
    this.selected.value = task;
  }

  showTime(time: number | undefined): void {
    this.time.value = time;
    this.#setStatuses();
  }

  act(action: RunAction): Promise<void> {
    return this.attempt(async () => {
      const runId = this.data.value?.run?.run_id;
      if (runId === undefined || this.source.server === undefined) return;
      const next = await this.source.server.act(runId, action);
      if (next === runId) await this.open({ kind: "runs", id: next });
      else location.hash = `#/runs/${encodeURIComponent(next)}`;
    });
  }

  close(): void {
    this.#following?.abort();
    this.error.value = undefined;
    this.notice.value = undefined;
    this.data.value = undefined;
    this.layout.value = undefined;
    this.#index = new Map();
    this.selected.value = -1;
    this.time.value = undefined;
  }

  #follow(runId: string, signal: AbortSignal): void {
    this.isLive.value = true;
    signal.addEventListener("abort", () => {
      this.isLive.value = false;
    });
    const reloader = new Reloader<PageData>({
      load: (stop) => this.source.load({ kind: "runs", id: runId }, stop),
      show: (data) => this.show(data),
      // What is shown stays; it is loaded again with the next event that asks for it.
      fail: (error) => {
        this.notice.value = messageOf(error);
      },
    });
    this.source.server?.follow(
      runId,
      this.history.lastSeq,
      (event) => {
        if (event === "gap" || event === "end") {
          if (event === "end") this.isLive.value = false;
          void reloader.reload(signal, event === "end" ? retriesAfterEnd : 0);
          return;
        }
        if (
          event.type === "patch-apply" ||
          event.type === "task-waiting" ||
          event.type === "task-wait" ||
          event.type === "run-end"
        )
          void reloader.reload(signal);
        this.history.read(event);
        this.#touch();
      },
      signal,
    );
  }

  /** However many events come, statuses are counted once a frame. */
  #touch(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#setStatuses();
    });
  }

  #setStatuses(): void {
    this.history.statusesAt(this.time.value ?? Number.POSITIVE_INFINITY, this.statusNumbers);
    this.version.value += 1;
  }

  #layOut({ plan }: PageData): void {
    const groupOf = groupsOf(plan);
    const shape = {
      count: plan.tasks.length,
      from: Int32Array.from(plan.edges.from),
      to: Int32Array.from(plan.edges.to),
      groupOf,
      groupCount: plan.subgraphs.length,
    };
    if (shape.count <= maxTasksInPage) {
      this.layout.value = layoutPlan(shape);
      return;
    }
    const worker = new LayoutWorker();
    worker.addEventListener("message", ({ data }: MessageEvent<PlanLayout>) => {
      if (this.data.value?.plan.id === plan.id) this.layout.value = data;
      worker.terminate();
    });
    // Where workers are forbidden, the page lays the plan out itself.
    worker.addEventListener("error", () => {
      this.layout.value = layoutPlan(shape);
      worker.terminate();
    });
    worker.postMessage(shape);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The number of each task's subgraph; undefined where tasks start one by one. */
export function groupsOf({ tasks, subgraphs }: PageData["plan"]): Int32Array | undefined {
  if (subgraphs.length < 2) return undefined;
  const groups = new Map(subgraphs.flatMap(({ task_ids }, group) => task_ids.map((id) => [id, group] as const)));
  const numbers = tasks.map(({ task_id }) => groups.get(task_id) ?? -1);
  return numbers.includes(-1) ? undefined : Int32Array.from(numbers);
}

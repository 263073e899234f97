import type {
  DispatchContext,
  DispatchReply,
  DispatchRequest,
  Journal,
  TaskRecord,
  TaskReport,
} from "@planloom/runtime";
import { stopReasonOf } from "@planloom/runtime/journal-parts";
import { type AttemptParts, type AttemptState, Attempts } from "./attempts.ts";
import type { SubgraphState } from "./dispatch-store.ts";
import { nestedReports, subgraphReports } from "./subgraph-reports.ts";

/** What all subgraphs of a dispatcher share. */
export interface DispatchParts extends AttemptParts {
  readonly journal: Journal & Required<Pick<Journal, "watchChanges">>;
}

/** How often a subgraph is looked at in case no notice of its end comes, in milliseconds. */
const lookMs = 500;

const notBegun: SubgraphState = { status: "none", updatedAt: undefined, recorded: 0, attempt: 1, isOpen: true };

/** Of a subgraph that has not ended. */
const unfinished: ReadonlySet<string> = new Set(["none", "running", "interrupted", "drained", "shut_down"]);

/** The newest attempt and the run, at one moment. */
interface Sight {
  readonly attempt: number;
  /** Nobody has sent it yet, or it has not ended. */
  readonly isOpen: boolean;
  readonly state: AttemptState;
  readonly run: SubgraphState;
}

/** Whether the attempt has ended, or was never sent. */
function isOver({ isOpen, state, run }: Sight): boolean {
  if (state === "over") return run.status !== "running" || !isOpen;
  return !isOpen && state !== "queued" && state !== "taken";
}

/** One subgraph that a worker executes without asking, as a run of its own in the journal, until it has ended. */
export class DispatchedSubgraph {
  readonly #parts: DispatchParts;
  readonly #request: DispatchRequest;
  readonly #context: DispatchContext;
  readonly #id: string;
  readonly #sent: Attempts;
  readonly #reported = new Set<string>();
  readonly #began = performance.now();
  /** Whether the next attempt that is sent tries again what failed in an earlier session of the run; those after it continue that one. */
  #triesAgain: boolean;
  #attempts = 0;
  #recorded = 0;
  /** Whether a notice came since the last look, which the next pause does not wait for then. */
  #isDue = false;
  #wake = () => {};
  /** The run when the newest attempt was sent. */
  #before = notBegun;
  /** The attempt that this process has sent or seen under way: how another one ended is of an earlier session. */
  #watched = 0;

  constructor(parts: DispatchParts, id: string, request: DispatchRequest, context: DispatchContext) {
    this.#parts = parts;
    this.#request = request;
    this.#context = context;
    this.#id = id;
    this.#sent = new Attempts(parts, id, request, context);
    this.#triesAgain = request.retry_failed === true;
  }

  /**
   * Sends it, and resolves when it has ended and all of its tasks are reported.
   * @param isOpened nobody has dispatched it before, and its first attempt is open
   */
  async reply(isOpened: boolean): Promise<DispatchReply> {
    const { journal } = this.#parts;
    const { signal } = this.#context;
    const wake = () => {
      this.#isDue = true;
      this.#wake();
    };
    const unwatch = journal.watchChanges(this.#id, (change) => {
      if (change === "ended" || change === "missed") wake();
    });
    signal.addEventListener("abort", wake, { once: true });
    try {
      if (isOpened) await this.#sent.enqueue(1);
      else await this.#passAnswersOn();
      await this.#settled(isOpened);
      const left = await this.#report(true);
      this.#sent.remove();
      return { results: left, usage: { attempts: this.#attempts, input_tokens: 0, output_tokens: 0 } };
    } finally {
      this.#sent.close();
      unwatch();
      signal.removeEventListener("abort", wake);
    }
  }

  /** Reports tasks that have ended since the last look. @returns what is left of the others, of a subgraph that has ended */
  async #report(isAll: boolean) {
    const { store } = this.#parts;
    if (!isAll && (await store.lookAt(this.#id)).recorded === this.#recorded) return [];
    const records = await this.#records();
    this.#recorded = records.length;
    const reports = subgraphReports(this.#request, records, performance.now() - this.#began);
    const isNew = ({ result }: TaskReport) =>
      result.status !== "cancelled" && !this.#reported.has(result.task_id) && (isAll || result.status === "completed");
    const fresh = reports.filter(isNew);
    await this.#reportWithin(fresh, records);
    // In the order in which the worker recorded them: the run takes a task only after those that it depends on.
    const order = new Map(records.map(({ task_id }, at) => [task_id, at]));
    const at = ({ result }: TaskReport) => order.get(result.task_id) ?? records.length;
    // Completions go together, so that the journal writes them in one statement.
    const together: Promise<void>[] = [];
    const settled = () => Promise.all(together.splice(0));
    for (const report of fresh.sort((left, right) => at(left) - at(right))) {
      const { task_id, status } = report.result;
      if (status !== "completed") await settled();
      together.push(this.#context.report(report).then(() => void this.#reported.add(task_id)));
    }
    await settled();
    this.#attempts = reports.reduce((sum, { result }) => sum + result.attempts, 0);
    return reports.flatMap(({ result }) => (this.#reported.has(result.task_id) ? [] : [result]));
  }

  /** The elements of lists are recorded in the run, too: there they are asked for, forked, replanned and verified. */
  async #reportWithin(reports: readonly TaskReport[], records: readonly TaskRecord[]): Promise<void> {
    const ended = new Set(reports.map(({ result }) => result.task_id));
    const lists = this.#request.plan.planned_tasks.filter(({ task_id, for_each }) => for_each && ended.has(task_id));
    if (lists.length === 0) return;
    const ids = new Set(lists.map(({ task_id }) => task_id));
    const nested = await this.#parts.journal.getNestedTasks(this.#id);
    await this.#context.reportNested(nestedReports(ids, nested, records, performance.timeOrigin + performance.now()));
  }

  /** What is recorded, each large output once: one of a task that is reported already is not read again. */
  async #records(): Promise<TaskRecord[]> {
    const { journal } = this.#parts;
    const records: TaskRecord[] = [];
    for (const record of await journal.getTasks(this.#id, { outputs: "small" })) {
      const { task_id, output_bytes, status } = record;
      const isWanted = output_bytes !== undefined && status === "completed" && !this.#reported.has(task_id);
      records.push(isWanted ? { ...record, output: await journal.getOutput?.(this.#id, task_id) } : record);
    }
    return records;
  }

  /** Answers of people that the run of the subgraph does not have yet. */
  async #passAnswersOn(): Promise<void> {
    const { journal, store } = this.#parts;
    const { answers } = this.#request.approval;
    if (answers.length === 0 || (await store.lookAt(this.#id)).status === "none") return;
    const known = new Set((await journal.getAnswers(this.#id)).map((answer) => JSON.stringify(answer)));
    for (const answer of answers) if (!known.has(JSON.stringify(answer))) await journal.addAnswer(this.#id, answer);
  }

  /** Resolves when the run of the subgraph has ended. Rejects where it was aborted, or where each worker that takes it dies. */
  async #settled(isSent: boolean): Promise<void> {
    const { store } = this.#parts;
    const { signal } = this.#context;
    if (isSent) await this.#pause();
    this.#before = isSent ? notBegun : await store.lookAt(this.#id);
    this.#watched = isSent ? 1 : 0;
    for (let isShut = false; ; ) {
      // Its program ends: the subgraph continues, and who resumes the run finds it.
      if (signal.aborted && stopReasonOf(signal.reason) === "shut_down") throw signal.reason;
      // Before anything else is looked at: what no worker has taken by then, none begins.
      if (signal.aborted && !isShut) await store.shut(this.#id);
      isShut = signal.aborted;
      this.#isDue = false;
      const sight = await this.#look();
      if (sight === "ended") return;
      if (sight === "changed") continue;
      const next = signal.aborted ? await this.#stop(sight) : await this.#continue(sight);
      if (next === "look") continue;
      if (next === "report") {
        await this.#report(false);
        // It is a sign of the subgraph: it may wait in the queue for longer than its tasks may take.
        await this.#context.reportCalls([]);
      }
      await this.#pause();
    }
  }

  #hasEnded({ status, updatedAt }: SubgraphState): boolean {
    return status === "completed" || (updatedAt !== this.#before.updatedAt && !unfinished.has(status));
  }

  /** Looks at the run and at its newest attempt; `changed` where another attempt came meanwhile. */
  async #look(): Promise<Sight | "ended" | "changed"> {
    const { store } = this.#parts;
    const seen = await store.lookAt(this.#id);
    if (this.#hasEnded(seen)) return "ended";
    const { attempt, isOpen } = seen;
    const state = attempt === 0 ? "none" : await this.#sent.stateOf(attempt);
    // It may have ended while the engine was asked.
    const run = await store.lookAt(this.#id);
    if (this.#hasEnded(run)) return "ended";
    if (run.attempt !== attempt) return "changed";
    if (state === "queued" || state === "taken") this.#watched = attempt;
    return { attempt, isOpen, state, run };
  }

  async #stop({ attempt, state, run }: Sight): Promise<"report"> {
    if (await this.#isStopped(attempt, state, run)) throw this.#context.signal.reason;
    return "report";
  }

  /** Sends an attempt where none is under way. @returns what follows: the next look at once, a pause, or a report before it */
  async #continue(sight: Sight): Promise<"look" | "pause" | "report"> {
    const { attempt, isOpen, state, run } = sight;
    if (state === "gone") {
      await this.#report(false);
      await this.#sent.bury(attempt, run.recorded);
      return "look";
    }
    if (state === "none" && isOpen) {
      // The process that opened the attempt died before it had sent it.
      if (this.#triesAgain) await this.#send(attempt);
      else await this.#sent.enqueue(attempt);
      return "report";
    }
    if (isOver(sight)) {
      if (this.#watched === attempt && attempt > 0) await this.#judgeEnd(attempt, run);
      this.#before = run;
      this.#watched = await this.#send(attempt);
      return "pause";
    }
    if (state === "queued" && (await this.#sent.isForsaken(attempt))) {
      await this.#sent.cancel(attempt);
      await this.#send(attempt);
    }
    return "report";
  }

  /** Handles an attempt that ended without having ended the subgraph. @throws where another one would end like it */
  async #judgeEnd(attempt: number, run: SubgraphState): Promise<void> {
    const error = await this.#sent.errorOf(attempt);
    if (error === undefined) return;
    // The worker lost its database or its lease in the middle of it.
    if (run.status === "interrupted") return this.#sent.bury(attempt, run.recorded);
    if (run.updatedAt !== this.#before.updatedAt) return;
    await this.#parts.store.shut(this.#id);
    throw new Error(`The worker could not execute subgraph ${this.#request.subgraph_id}: ${error.message}`);
  }

  /** Stops an attempt, as far as there is something to stop. @returns whether nothing of it runs any more */
  async #isStopped(attempt: number, state: AttemptState, run: SubgraphState): Promise<boolean> {
    // The call keeps its worker until it has ended.
    if (run.status === "running") {
      // It may end at this moment.
      await this.#parts.journal.requestCancel(this.#id).catch(() => {});
      return false;
    }
    if (state === "queued") await this.#sent.cancel(attempt);
    return state !== "taken";
  }

  /** @returns the attempt; 0 where another process has sent one meanwhile */
  async #send(before: number): Promise<number> {
    const attempt = await this.#parts.store.open(this.#id, before, this.#triesAgain);
    if (attempt === undefined) return 0;
    await this.#sent.enqueue(attempt);
    this.#triesAgain = false;
    return attempt;
  }

  async #pause(): Promise<void> {
    if (this.#isDue) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
      const timer = setTimeout(end, lookMs);
      this.#wake = end;
    });
  }
}

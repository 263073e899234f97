import { anySignal } from "../any-signal.ts";
import { answeredRuns, executingTasks } from "../approvals/approvals.ts";
import { cancellableRuns, cancelRequest } from "../cancellable-runs.ts";
import { TaskState } from "../core/task-state.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { liveFeeds, RunFeed } from "../feed/run-feed.ts";
import type { CancelMode, StoredCertificate, TaskRecord } from "../journal/journal.ts";
import { leaseRenewalMs } from "../journal/lease.ts";
import { recordNowOf } from "../journal/record-now.ts";
import { openStatuses } from "../journal/run-filter.ts";
import { liveTasks } from "../live-tasks.ts";
import type { Keeping } from "../nested-keeping.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import { markableRuns } from "../replan/mark-tasks.ts";
import { noteAbandonedSlots } from "../task-execution/abandoned-slots.ts";
import { ownRights } from "../task-execution/call-rights.ts";
import { certify } from "../task-execution/certificate.ts";
import { EventWriter } from "../task-execution/event-writer.ts";
import { JournalWriter } from "../task-execution/journal-writer.ts";
import { ownPlan } from "../task-execution/plan-position.ts";
import type { EndedRun, OpenRun, RunHost } from "../task-execution/run-host.ts";
import { storedCertificate } from "../task-execution/stored-certificate.ts";
import { RunWaits } from "../waiting/run-waits.ts";
import { signalledRuns } from "../waiting/signalled-runs.ts";
import { waitKeeperOf } from "../waiting/wait-keeper.ts";
import { NestedKeeper } from "./nested-keeper.ts";
import { sharedReads } from "./shared-reads.ts";
import type { OutermostRun } from "./unkept-host.ts";

/** A run that is kept in a journal, under a lease. */
export class JournaledHost implements RunHost {
  readonly position = ownPlan;
  readonly depth = 0;
  readonly keyPrefix: string;
  readonly onEvent: RunHost["onEvent"];
  readonly feed: RunFeed;
  readonly firstSeq: number;
  readonly waits: RunWaits;
  readonly waitHereMs: number;
  readonly rights: RunHost["rights"];
  readonly secrets: RunHost["secrets"];
  readonly drain: RunHost["drain"];
  readonly callRecorder: NonNullable<RunHost["callRecorder"]>;
  readonly nestedWriter: RunHost["nestedWriter"];
  readonly keepNested: RunHost["keepNested"];
  readonly keepCalls: RunHost["keepCalls"];
  readonly #run: OutermostRun;
  readonly #keeping: Keeping;
  /** The certificate of the session before, which is kept where nothing is left to run. */
  readonly #earlier: StoredCertificate | undefined;
  readonly #events: EventWriter | undefined;
  readonly #draining = new AbortController();
  /** Functions that end listening for answers and cancellations from outside. */
  readonly #listening: (() => void)[] = [];
  /** How many answers of the journal are known: it is asked for those after them. */
  #answersRead = 0;
  #open: OpenRun | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor(run: OutermostRun, keeping: Keeping, earlier?: StoredCertificate) {
    const { runId, admission, secrets, onEvent, drain, firstSeq, waitHereMs, neededEvents } = run;
    this.#run = run;
    this.#keeping = keeping;
    this.#earlier = earlier;
    this.#events = EventWriter.for(keeping.journal, runId, keeping.owner, neededEvents);
    const keeper = new NestedKeeper(keeping, runId);
    this.keyPrefix = runId;
    this.onEvent = this.#events === undefined ? onEvent : this.#events.before(onEvent);
    this.feed = new RunFeed(async () => this.#events?.flush());
    this.firstSeq = firstSeq;
    const waitKeeper = waitKeeperOf(keeping, runId);
    this.waits = new RunWaits(waitKeeper);
    this.waitHereMs = waitKeeper === undefined ? Number.POSITIVE_INFINITY : waitHereMs;
    this.rights = ownRights(admission);
    this.secrets = secrets;
    this.drain = anySignal(drain, this.#draining.signal);
    this.callRecorder = keeper.callRecorder;
    this.nestedWriter = (...given) => keeper.writer(...given);
    this.keepNested = (records) => keeper.keepNested(records);
    this.keepCalls = (calls) => keeper.keepCalls(calls);
  }

  /** Another process may have stored an answer. */
  readonly readAnswers = sharedReads(async (): Promise<void> => {
    const after = this.#answersRead;
    const answers = await this.#keeping.journal.getAnswers(this.#run.runId, { after });
    for (const answer of answers) this.#open?.answers.add(answer);
    this.#answersRead = after + answers.length;
  });

  isHalted(): boolean {
    return false;
  }

  /** Later sessions of the run in this process count it. */
  abandoned(...[, slots]: Parameters<RunHost["abandoned"]>): () => void {
    return slots === undefined ? () => {} : noteAbandonedSlots(this.#keeping.journal, this.#run.runId, slots);
  }

  open(run: OpenRun): void {
    const { journal } = this.#keeping;
    const { runId } = this.#run;
    this.#open = run;
    run.answers.read = this.readAnswers;
    this.#listening.push(
      answeredRuns.listen(journal, runId, (answer) => run.answers.add(answer)),
      liveFeeds.listen(journal, runId, this.feed),
      liveTasks.listen(journal, runId, run.liveTasks),
      executingTasks.listen(journal, runId, (id) => isExecuting(run, id)),
      signalledRuns.listen(journal, runId, (name) => this.waits.look(name)),
      cancellableRuns.listen(journal, runId, (mode) => this.#cancel(mode)),
    );
    if (run.mark !== undefined) this.#listening.push(markableRuns.listen(journal, runId, run.mark));
  }

  writer(run: OpenRun, onError: (error: unknown) => void): JournalWriter {
    const { journal, owner } = this.#keeping;
    const { runId } = this.#run;
    const renewLease = () => {
      const hearLease = ({ cancel: mode }: { readonly cancel: CancelMode | false }) => {
        if (mode !== false) this.#cancel(mode);
      };
      journal.renewLease(runId, owner).then(hearLease, onError);
    };
    const readAnswers = () => {
      if (run.answers.asked) this.readAnswers().catch(onError);
    };
    const renew = () => {
      renewLease();
      this.waits.look();
      readAnswers();
    };
    const unwatchChanges = journal.watchChanges?.(runId, (change) => {
      if (change === "missed") renew();
      else if (change === "cancel") renewLease();
      else if (change === "answers") readAnswers();
      else if (change === "signals") this.waits.look();
    });
    if (unwatchChanges !== undefined) this.#listening.push(unwatchChanges);
    this.#renewal = setInterval(renew, journal.leaseRenewalMs ?? leaseRenewalMs);
    this.callRecorder.onError = onError;
    this.waits.onError = onError;
    const unwatch = journal.watchWrites?.(runId, onError);
    if (unwatch !== undefined) this.#listening.push(unwatch);
    const recordNow = recordNowOf(journal);
    const write = (records: readonly TaskRecord[]) => journal.record(runId, owner, records);
    return new JournalWriter(write, onError, recordNow && ((records) => recordNow(runId, owner, records)));
  }

  keptNested(): ReturnType<RunHost["keptNested"]> {
    return this.#keeping.journal.getNestedTasks(this.#run.runId);
  }

  async keepRevision(revision: StoredRevision): Promise<void> {
    await this.#keeping.journal.addRevision(this.#run.runId, revision, this.#keeping.owner);
  }

  async settle(): Promise<{ readonly error: unknown } | undefined> {
    await this.callRecorder.flush();
    return this.callRecorder.failure;
  }

  async end(
    { state, table, family, startedAt }: OpenRun,
    { endReason, achievedMs, event, nextSeq }: EndedRun,
  ): Promise<void> {
    const { journal, owner } = this.#keeping;
    await this.#events?.end(event);
    await this.waits.forget({ all: !openStatuses.has(endReason) });
    // A session that only finds that all is done claims so, where the one before died before it could.
    const ran = table.recorded.includes(0) || this.#earlier === undefined;
    const certificate = ran
      ? storedCertificate(certify(state, table, achievedMs), family.limits, startedAt)
      : this.#earlier;
    await journal.endRun(this.#run.runId, owner, endReason, { ...certificate, next_seq: nextSeq });
  }

  async giveUp(error: unknown): Promise<void> {
    const givenBack = giveBack(this.#keeping, this.#run.runId);
    // A journal that does not answer would keep the run from ending as long again.
    if (!isTimeout(error)) await givenBack;
  }

  close(): void {
    clearInterval(this.#renewal);
    this.waits.close();
    for (const stop of this.#listening) stop();
    this.feed.end();
    this.#run.admission.close();
  }

  #cancel(mode: CancelMode): void {
    if (mode === "drain") this.#draining.abort(cancelRequest());
    else this.#open?.cancel(cancelRequest());
  }
}

function isExecuting({ runnable, state, table }: OpenRun, id: string): boolean {
  const task = runnable.view.indexOf(id);
  return task !== -1 && state.state[task] === TaskState.RUNNING && !Number.isNaN(table.startedMs[task]);
}

function isTimeout(error: unknown): boolean {
  return error instanceof RuntimeError && error.code === RuntimeErrorCode.JOURNAL_TIMEOUT;
}

/** How often giving back a lease is tried again where the journal fails, once every `leaseRenewalMs`. */
const maxGiveBacks = 120;

/**
 * Gives the lease back after the journal failed. This process takes the run over at once all the same; others wait until it is
 * written, since they see that this process lives.
 */
async function giveBack({ journal, owner }: Keeping, runId: string, left = maxGiveBacks): Promise<void> {
  try {
    await journal.endRun(runId, owner, "shut_down");
  } catch (error) {
    const lost = error instanceof RuntimeError && error.code === RuntimeErrorCode.LEASE_LOST;
    if (!lost && left > 0) setTimeout(() => void giveBack({ journal, owner }, runId, left - 1), leaseRenewalMs).unref();
  }
}

import type { Bind, Executor } from "@planloom/plan";
import type { DispatchRequest } from "@planloom/runtime";
import { runInWorker, type ToWorker, WorkerLink } from "@planloom/runtime/journal-parts";
import { channelsOf } from "./asked-subgraph.ts";
import type { DispatchStore } from "./dispatch-store.ts";
import type { Mailbox } from "./mailbox.ts";

export interface AskedRunParts {
  readonly store: DispatchStore;
  readonly mailbox: Mailbox;
  readonly executors: readonly Executor[];
  readonly bind?: Bind | undefined;
  /** Aborted when the worker has to end: running calls may end, and nothing more starts. */
  readonly drain: AbortSignal;
  /** Called when the database cannot be reached, for what is under way then. */
  readonly unreachable: Set<(error: unknown) => void>;
}

/** How often a worker looks whether the process that it asks is alive, in milliseconds. */
const lookMs = 1_000;

/**
 * Executes a subgraph whose calls the process of the run permits. It ends when that process is gone or has sent the subgraph to another worker: what it reports then is
 * read by nobody, and the process that resumes the run dispatches what is left.
 */
export async function runAsked(
  id: string,
  attempt: number,
  request: DispatchRequest,
  { store, mailbox, executors, bind, drain, unreachable }: AskedRunParts,
): Promise<void> {
  const { toRun, toWorker } = channelsOf(id, attempt);
  const stopped = new AbortController();
  const abandoned = Promise.withResolvers<void>();
  const post = mailbox.sender(toRun);
  const link = new WorkerLink((message) => {
    post(message);
    if (message.type === "abandoned") abandoned.resolve();
  });
  const forget = mailbox.receive(toWorker, (message) => {
    const heard = message as ToWorker;
    if (heard.type === "abort") stopped.abort();
    else link.hear(heard);
  });
  let hasLeft = false;
  // No reply comes any more. The process of the run sees that the attempt is over without an account of its tasks.
  const leave = (error: Error) => {
    hasLeft = true;
    stopped.abort(error);
    link.end(error);
  };
  const onUnreachable = () => leave(new Error("The database cannot be reached."));
  unreachable.add(onUnreachable);
  const timer = setInterval(() => {
    store.isAsked(id, attempt, request.run_id).then(
      (isAsked) =>
        isAsked || leave(new Error("The process of the run is gone, or has sent the subgraph to another worker.")),
      () => {},
    );
  }, lookMs);
  try {
    const { signal } = stopped;
    const work = runInWorker(request, {
      executors,
      bind,
      link,
      signal,
      drain,
      onEvent: (event) => post({ type: "event", event }),
    });
    work.catch(() => {});
    const reply = await Promise.race([work, abandoned.promise]);
    if (reply !== undefined && !drain.aborted && !hasLeft) post({ type: "done", reply });
  } catch (error) {
    if (!hasLeft) post({ type: "failed", message: error instanceof Error ? error.message : String(error) });
  } finally {
    clearInterval(timer);
    unreachable.delete(onUnreachable);
    await mailbox.flush();
    // What is left unread is removed after a day; nothing of it is of the attempt's outcome.
    await forget().catch(() => {});
  }
}

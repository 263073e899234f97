import type { BehaviorController, ControllerReply, TaskInput } from "@planloom/controller";
import { isRecord, type OptionChecks, type Resource } from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { type Phase, type ReadRequest, readRequest } from "./read-controller-request.ts";

export interface ControllerServiceOptions {
  /** Who answers: the embedded planner, a language model, a hybrid of both. */
  readonly controller: BehaviorController;
  /** What plans may use, where a request brings no `resources`. @default none */
  readonly resources?: readonly Resource[];
  /** Time limit of one request, in milliseconds. @default 120_000 */
  readonly timeoutMs?: number;
  /** How many requests are kept, for `n_history_samples` and `tasks()`. @default 100 */
  readonly maxHistory?: number;
  /** Limit of a request's body, in bytes. @default 1 MiB */
  readonly maxBytes?: number;
}

/** What is checked of each option. */
export const serviceChecks = {
  controller: { required: { method: "processPhase1", expected: "a BehaviorController" } },
  resources: "list",
  timeoutMs: "positive",
  maxHistory: "nonNegative",
  maxBytes: "nonNegative",
} as const satisfies OptionChecks<ControllerServiceOptions>;

/** A request and what became of it. */
export interface ServiceTask {
  readonly search_id: string;
  readonly phase: Phase;
  /** What was asked, without the history. */
  readonly input: string;
  readonly status: "pending" | "complete" | "failed";
  readonly data?: unknown;
  readonly message?: string;
}

/** A task with what was said of it apart from the resources, which is what a later request is shown. */
interface KeptTask extends ServiceTask {
  readonly said: string;
}

interface PastTask {
  readonly task: string;
  readonly result: unknown;
}

export interface ControllerService {
  /**
   * Answers `POST /process-phase-1-task` and `POST /process-phase-2-task`, in the wire form of the Agents Planning System. Never rejects:
   * 400 is a request that cannot be read, 500 one that failed or took too long.
   */
  fetch(request: Request): Promise<Response>;
  /** The latest requests, oldest first. */
  tasks(): readonly ServiceTask[];
}

/** A Behavior Controller as a service, for programs that call one over HTTP. It does not authenticate: everyone who can reach it may plan. @throws ControllerError OPTION */
export function controllerService(options: ControllerServiceOptions): ControllerService {
  checkOptions("`controllerService`", options, serviceChecks);
  const { controller, resources = [], timeoutMs = 120_000, maxHistory = 100, maxBytes = 1024 * 1024 } = options;
  const tasks: KeptTask[] = [];

  const begin = (read: ReadRequest): ((end: Partial<ServiceTask>) => void) => {
    const { search_id, phase, data } = read;
    const said = sectionsOf(read)?.join("\n\n") ?? data.task_input_data;
    let task: KeptTask = { search_id, phase, input: data.task_input_data, status: "pending", said };
    tasks.push(task);
    if (tasks.length > maxHistory) tasks.shift();
    return (end) => {
      const at = tasks.indexOf(task);
      task = { ...task, ...end };
      if (at >= 0) tasks[at] = task;
    };
  };

  const ask = async (read: ReadRequest, signal: AbortSignal): Promise<ControllerReply> => {
    const { phase, search_id, data, rest } = read;
    const known = { ...rest, search_id, resources: read.resources ?? resources };
    const history = historyFor(data, tasks);
    const shown = withHistory(data, history);
    const sections = sectionsOf(read);
    // A controller that arranges the sections itself does not read the text.
    const arranged =
      sections !== undefined && history.length > 0
        ? { sections: [`Earlier requests with their answers:\n${JSON.stringify(history)}`, ...sections] }
        : {};
    const reply =
      phase === 1
        ? await controller.processPhase1({ ...known, ...arranged, phase_1_data: shown }, { signal })
        : await controller.processPhase2({ ...known, ...arranged, phase_2_data: shown }, { signal });
    if (phase === 1 || choseOne(reply)) return reply;
    // No resource fits the task: it is planned again, and the caller gets the tasks that replace it.
    const why = reply.message ?? "no resource was chosen";
    const task_input_data = `${data.task_input_data}\n\nNothing that is available fits this task: ${why}\nPlan it anew with what there is.`;
    // The sections, and the task as data, ask for a step: here a plan is asked for.
    const plain = { search_id, resources: known.resources, phase_1_data: { ...data, task_input_data } };
    const again = await controller.processPhase1(plain, { signal });
    const message = `Nothing fits the task: ${why}`;
    return again.success ? { success: false, message, data: again.data } : { success: false, message };
  };

  return {
    tasks: () => tasks.map(({ said: _, ...task }) => task),
    async fetch(request) {
      const read = await readRequest(request, maxBytes);
      if ("status" in read) return answer(read.status, { success: false, message: read.message });
      const end = begin(read);
      try {
        const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
        const reply = await settledBy(signal, ask(read, signal));
        if (reply.success) {
          end({ status: "complete", data: reply.data });
          return answer(200, { success: true, data: reply.data });
        }
        const message = reply.message ?? "The controller gave no reason.";
        end({ status: "failed", message });
        const replanned = reply.data === undefined ? {} : { data: reply.data };
        return answer(500, { success: false, status: "failed", message, ...replanned });
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        end({ status: "failed", message });
        return answer(500, { success: false, status: "failed", message });
      }
    },
  };
}

/** The latest that were completed before it, oldest first. */
function historyFor({ n_history_samples: count }: TaskInput, tasks: readonly KeptTask[]): readonly PastTask[] {
  if (count === 0) return [];
  const completed = tasks.filter(({ status }) => status === "complete").slice(-count);
  return completed.map(({ said, data }) => ({ task: said, result: data }));
}

/** The task with its history, as the documents of that system have it: `{history, task}`. */
function withHistory(data: TaskInput, history: readonly PastTask[]): TaskInput {
  if (history.length === 0) return data;
  return { ...data, task_input_data: JSON.stringify({ history, task: data.task_input_data }) };
}

function sectionsOf({ rest }: ReadRequest): readonly string[] | undefined {
  const { sections } = rest as { readonly sections?: unknown };
  return Array.isArray(sections) && sections.every((each) => typeof each === "string") ? sections : undefined;
}

function choseOne({ success, data }: ControllerReply): boolean {
  const inner = isRecord(data) && isRecord(data.processed_data) ? data.processed_data : data;
  return success && isRecord(inner) && typeof inner.uid === "string" && inner.uid !== "";
}

/** A controller that does not listen to the signal is not waited for. */
async function settledBy<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function answer(status: number, body: object): Response {
  return Response.json(body, { status });
}

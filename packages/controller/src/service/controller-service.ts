import { isRecord, type OptionChecks, type PlanIssue, type Resource, timerMs } from "@planloom/plan";
import { type BehaviorController, type ControllerReply, promptCharactersOf } from "../behavior-controller.ts";
import { checkOptions } from "../check-options.ts";
import { ControllerError } from "../errors.ts";
import { type ReadRequest, readControllerRequest } from "./read-controller-request.ts";
import { type ControllerPhase, type ControllerSample, memorySamples, type SampleStore } from "./samples.ts";

export interface ControllerServiceOptions {
  /** Who answers: the embedded planner, a language model, a hybrid of both. */
  readonly controller: BehaviorController;
  /** What plans may use, where a request brings no `resources`. A function is called at each request. @default none */
  readonly resources?: readonly Resource[] | (() => readonly Resource[]);
  /** Time limit of one request, in milliseconds. @default 120_000, or what the controller takes by its own limit where that is more */
  readonly timeoutMs?: number;
  /** Where answered requests are kept for `n_history_samples`. @default the newest 100 of each phase, in memory */
  readonly samples?: SampleStore;
  /** How many requests `tasks()` lists. @default 100 */
  readonly maxTasks?: number;
  /** Milliseconds since the epoch; what "today" is where a request does not say it. @default Date.now */
  readonly now?: () => number;
  /** The IANA name of the zone whose calendar counts for that. @default the system's */
  readonly timeZone?: string;
}

const serviceChecks = {
  controller: { required: { method: "processPhase1", expected: "a BehaviorController" } },
  resources: { either: ["list", "function"] },
  timeoutMs: "positive",
  samples: { method: "latest", expected: "a SampleStore" },
  maxTasks: "nonNegative",
  now: "function",
  timeZone: "text",
} as const satisfies OptionChecks<ControllerServiceOptions>;

/** A request and what became of it. */
export interface ServiceTask {
  readonly search_id: string;
  readonly phase: ControllerPhase;
  /** What was asked, without the history. */
  readonly input: string;
  readonly status: "pending" | "complete" | "failed";
  readonly data?: unknown;
  readonly message?: string;
}

/** What the service answers: the status of HTTP, and a body that becomes JSON. */
export interface ServiceReply {
  readonly status: 200 | 400 | 500;
  readonly body: {
    readonly success: boolean;
    readonly status?: "failed";
    readonly data?: unknown;
    readonly message?: string;
    /** What the controller leaves open, and why it refused: for a Planloom that asks; others do not read it. */
    readonly issues?: readonly PlanIssue[];
    /** Asking again would bring the same. */
    readonly final?: true;
  };
}

export interface ControllerService {
  /**
   * Answers a request of the Agents Planning System. Never rejects: 400 is a body that is not a request, 500 one that
   * failed or took too long.
   * @param body as parsed from JSON
   */
  answer(phase: ControllerPhase, body: unknown, options?: { readonly signal?: AbortSignal }): Promise<ServiceReply>;
  /** The latest requests, oldest first. */
  tasks(): readonly ServiceTask[];
}

const usualTimeoutMs = 120_000;

/**
 * A Behavior Controller as the Agents Planning System calls one over HTTP, apart from HTTP itself: `@planloom/server` serves it. A request with
 * `n_history_samples` is shown so many earlier ones of its phase with their answers, where the controller asks a model. @throws ControllerError OPTION
 */
export function controllerService(options: ControllerServiceOptions): ControllerService {
  checkOptions("`controllerService`", options, serviceChecks);
  const { controller, resources = [], maxTasks = 100, now = Date.now } = options;
  const { timeoutMs = Math.max(usualTimeoutMs, controller.timeoutMs ?? 0) } = options;
  const { timeZone: time_zone = Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  const samples = options.samples ?? memorySamples();
  const tasks: ServiceTask[] = [];

  const begin = ({ search_id, phase, data }: ReadRequest): ((end: Partial<ServiceTask>) => void) => {
    let task: ServiceTask = { search_id, phase, input: data.task_input_data, status: "pending" };
    tasks.push(task);
    if (tasks.length > maxTasks) tasks.shift();
    return (end) => {
      const at = tasks.indexOf(task);
      task = { ...task, ...end };
      if (at >= 0) tasks[at] = task;
    };
  };

  /** The samples that a request asks for; none where no model would read them. */
  const historyOf = async ({ phase, data }: ReadRequest, known: Known): Promise<readonly PastTask[]> => {
    if (data.n_history_samples === 0) return [];
    const request = phase === 1 ? { ...known, phase_1_data: data } : { ...known, phase_2_data: data };
    if (promptCharactersOf(controller, request) === 0) return [];
    const latest = await samples.latest(phase, data.n_history_samples);
    return latest.map(({ task, result }) => ({ task, result }));
  };

  const ask = async (read: ReadRequest, signal: AbortSignal): Promise<ControllerReply> => {
    const { phase, search_id, data, sections, rest } = read;
    const offered = read.resources ?? (typeof resources === "function" ? resources() : resources);
    // The Agents Planning System's own requests do not say what day it is.
    const { time = { now: new Date(now()).toISOString(), time_zone } } = rest;
    const known = { ...rest, search_id, resources: offered, time };
    const history = await historyOf(read, known);
    const shown =
      history.length === 0
        ? data
        : { ...data, task_input_data: JSON.stringify({ history, task: data.task_input_data }) };
    // A controller that arranges the sections itself does not read the text.
    const arranged =
      sections === undefined || history.length === 0
        ? {}
        : { sections: [`Earlier requests with their answers:\n${JSON.stringify(history)}`, ...sections] };
    const reply =
      phase === 1
        ? await controller.processPhase1({ ...known, ...arranged, phase_1_data: shown }, { signal })
        : await controller.processPhase2({ ...known, ...arranged, phase_2_data: shown }, { signal });
    if (phase === 1 || choseOne(reply)) return reply;
    // No resource fits the task: it is planned again, and the caller gets the tasks that replace it.
    const why = reply.message ?? "no resource was chosen";
    const task_input_data = `${data.task_input_data}\n\nNothing that is available fits this task: ${why}\nPlan it anew with what there is.`;
    // The sections, and the task as data, ask for a step: here a plan is asked for.
    const plain = { search_id, resources: offered, time, phase_1_data: { ...data, task_input_data } };
    const again = await controller.processPhase1(plain, { signal });
    const message = `Nothing fits the task: ${why}`;
    return again.success ? { success: false, message, data: again.data } : { success: false, message };
  };

  return {
    tasks: () => [...tasks],
    async answer(phase, body, { signal } = {}) {
      const read = readControllerRequest(body, phase);
      if ("status" in read) return { status: 400, body: { success: false, message: read.message } };
      const at = now();
      const end = begin(read);
      const failed = (message: string, replanned: object = {}): ServiceReply => {
        end({ status: "failed", message });
        return { status: 500, body: { success: false, status: "failed", message, ...replanned } };
      };
      try {
        const timeout = AbortSignal.timeout(timerMs(timeoutMs));
        const stop = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
        const { success, data, message, issues = [], final } = await settledBy(stop, ask(read, stop));
        const beside = { ...(issues.length > 0 && { issues }), ...(final === true && { final }) };
        if (!success) {
          const why = message ?? "The controller gave no reason.";
          return failed(why, data === undefined ? beside : { data, ...beside });
        }
        end({ status: "complete", data });
        await samples.add(sampleOf(read, data, at));
        return { status: 200, body: { success: true, data, ...beside } };
      } catch (error) {
        const final = error instanceof ControllerError && !error.retryable ? { final: true } : {};
        return failed(error instanceof Error ? error.message : String(error), final);
      }
    },
  };
}

type Known = ReadRequest["rest"] & { readonly search_id: string };

/** A sample as requests are shown it, in the words of that system's documents. */
interface PastTask {
  readonly task: string;
  readonly result: unknown;
}

function sampleOf({ search_id, phase, sections, data }: ReadRequest, result: unknown, at: number): ControllerSample {
  return { search_id, phase, task: sections?.join("\n\n") ?? data.task_input_data, result, at };
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

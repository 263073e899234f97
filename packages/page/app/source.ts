import type { PlanDiff } from "planloom/plan";
import type { RunStatusView } from "planloom/runtime";
import type { PageData, PageDraft } from "../src/page-data.ts";
import type { ListFilter } from "./runs/list-query.ts";

type AnyEvent = NonNullable<PageData["run"]>["events"][number];

type PlanIssue = PageDraft["issues"][number];

export interface RunRow {
  readonly run_id: string;
  readonly plan_id: string;
  readonly title: string;
  readonly status: string;
  readonly tasks: number;
  readonly completed: number;
  readonly failed: number;
  readonly created_at: string;
}

export interface PlanRow {
  readonly plan_id: string;
  readonly title: string;
  readonly status: "ready" | "draft" | "unreadable";
  readonly tasks: number;
  readonly saved_at: string;
}

/** A run beside others of its plan. */
export interface ComparedRun extends Pick<RunStatusView, "run_id" | "title" | "status" | "created_at" | "tasks"> {}

/** An answer to what a run asks, or something that is done with a run. */
export type RunAction =
  | {
      readonly kind: "approve" | "deny";
      readonly id: string;
      readonly contentHash: string;
      readonly note?: string;
      readonly input?: object;
      /** What a call of unknown outcome gave, in place of calling it again. */
      readonly output?: unknown;
    }
  | { readonly kind: "signal"; readonly event: string; readonly key?: string; readonly data: unknown }
  | { readonly kind: "cancel" }
  | { readonly kind: "resume" }
  | { readonly kind: "fork"; readonly fromTask: string };

/** A plan or a run. */
export interface PageTarget {
  readonly kind: "runs" | "plans";
  readonly id: string;
}

/** A plan as it is saved; its fields are the user's. */
export type RawPlan = Readonly<Record<string, unknown>> & {
  readonly planned_tasks: readonly (Readonly<Record<string, unknown>> & { readonly task_id: string })[];
};

/** Where the page gets what it shows: the file that it is in, or the server that it comes from. */
export interface PageSource {
  /** @param target undefined: what a file shows */
  load(target: PageTarget | undefined, signal?: AbortSignal): Promise<PageData>;
  /** Absent for a file. */
  readonly server?: {
    listRuns(filter: ListFilter): Promise<{
      readonly runs: readonly RunRow[];
      readonly next?: string;
    }>;
    listPlans(filter: ListFilter): Promise<{
      readonly plans: readonly PlanRow[];
      readonly next?: string;
    }>;
    /** The newest runs of a plan, each with its tasks, the newest first. */
    runsOf(planId: string, signal: AbortSignal): Promise<readonly ComparedRun[]>;
    /** What differs between the plans of two runs. */
    diff(fromRun: string, toRun: string): Promise<PlanDiff>;
    /** Calls back with each further event, until the signal is aborted. `gap`: events were missed, and the run is to be loaded again. */
    follow(
      runId: string,
      after: number,
      listener: (event: AnyEvent | "gap" | "end") => void,
      signal: AbortSignal,
    ): void;
    /** @returns the id of the run that is to be shown next */
    act(runId: string, action: RunAction): Promise<string>;
    output(runId: string, taskId: string): Promise<unknown>;
    /** Makes and saves a plan for a goal. @returns its id */
    plan(goal: string): Promise<string>;
    /** Runs a saved plan. @returns the id of the run */
    run(planId: string): Promise<string>;
    rawPlan(planId: string): Promise<RawPlan>;
    validate(plan: RawPlan): Promise<readonly PlanIssue[]>;
    /** Saves a plan in the place of one, which must be at this revision still. */
    replace(planId: string, plan: RawPlan, base: string): Promise<void>;
    /** Gives arguments by `TASK.ARGUMENT`, or other tools by task. */
    answer(planId: string, what: { answers?: object; tools?: Readonly<Record<string, string>> }): Promise<void>;
    /** Ids of the tools that a plan may use. */
    tools(): Promise<readonly string[]>;
    useToken(token: string): void;
  };
}

/** The data that a file of HTML carries; undefined where a server has it. */
export function embeddedData(): PageData | undefined {
  const text = document.getElementById("page-data")?.textContent ?? "null";
  return (JSON.parse(text) as PageData | null) ?? undefined;
}

export function fileSource(data: PageData): PageSource {
  return { load: () => Promise.resolve(data) };
}

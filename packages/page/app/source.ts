import type { PageData } from "../src/page-data.ts";

type AnyEvent = NonNullable<PageData["run"]>["events"][number];

export interface RunRow {
  readonly run_id: string;
  readonly title: string;
  readonly status: string;
  readonly tasks: number;
  readonly completed: number;
  readonly failed: number;
  readonly created_at: string;
}

/** An answer to what a run asks, or something that is done with a run. */
export type RunAction =
  | { readonly kind: "approve" | "deny"; readonly id: string; readonly contentHash: string; readonly note?: string }
  | { readonly kind: "cancel" }
  | { readonly kind: "resume" }
  | { readonly kind: "fork"; readonly fromTask: string };

/** Where the page gets what it shows: the file that it is in, or the server that it comes from. */
export interface PageSource {
  load(runId: string | undefined, signal?: AbortSignal): Promise<PageData>;
  /** Absent for a file. */
  readonly server?: {
    listRuns(filter: { readonly text: string; readonly status: string; readonly cursor?: string }): Promise<{
      readonly runs: readonly RunRow[];
      readonly next?: string;
    }>;
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

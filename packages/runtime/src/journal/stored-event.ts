import type { RunEvent } from "../events.ts";

type Stored<Event> = Event extends { readonly type: string }
  ? Omit<Event, "timestamp" | (Event extends { readonly type: "task-end" } ? "output" : never)> & {
      /** As of `RunEvent`; absent in events of earlier versions. */
      readonly timestamp?: number;
    }
  : never;

/** An event as a journal keeps it: the output of a completed task is in the task's record, not in its `task-end`. */
export type StoredEvent = Stored<RunEvent>;

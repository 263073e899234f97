import type { CoreEvent } from "../core/core-event.ts";

/** What the run does for its replanning. */
export interface ReplanningHost {
  feed(event: CoreEvent): void;
  /** No event waits to be handled. */
  isQuiet(): boolean;
  /** The run cannot go on. */
  fatal(error: unknown): void;
}

import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Clock } from "../language/temporal/calendar.ts";
import type { DateSpan } from "../language/temporal/find-dates.ts";
import type { ReadAs } from "../language/text/slips.ts";
import type { Draft } from "./draft.ts";
import type { OpenPoint } from "./unresolved.ts";

/** What one planning knows and has made so far. The planner that reads the goal adds to it; nothing else changes it. */
export interface PlanningState {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  /** The goal, with what is remembered before it; blanks take the place of what says nothing of the request. */
  readonly text: string;
  /** The same with its courtesies: these distinguish a question from a request. */
  readonly polite: string;
  /** The dates that the text names, in its order. */
  readonly dates: readonly DateSpan[];
  /** In an order in which every source is before what uses it. */
  readonly drafts: Draft[];
  /** Words that are taken for slips of the pen, by their places in the text. */
  readonly readAs: Map<number, ReadAs>;
  /** What the goal says and the plan does not do. */
  readonly unresolved: OpenPoint[];
}

/** A plan has at most this many tasks; what is asked beyond that is reported. */
export const maxTasks = 200;

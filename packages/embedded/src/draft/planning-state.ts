import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Candidate } from "../functions/arguments/candidates.ts";
import type { Call } from "../functions/arguments/fill-call.ts";
import type { Choice } from "../functions/confidence.ts";
import type { Clock } from "../language/temporal/calendar.ts";
import type { DateSpan } from "../language/temporal/find-dates.ts";
import type { Words } from "../language/words/wordnet.ts";
import type { Meaning } from "../meaning/meaning.ts";
import type { Draft } from "./draft.ts";
import type { Unresolved } from "./unresolved.ts";

/** What one planning knows and has made so far. Only the functions of `build/` change it. */
export interface Building {
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly text: string;
  readonly dates: readonly DateSpan[];
  /** In an order in which every source stands before what uses it. */
  readonly drafts: Draft[];
  /** The drafts that each clause asked for, oldest first. */
  readonly groups: Draft[][];
  readonly unresolved: Unresolved[];
  /** The clause before only said where the next one applies: "For each order, …". */
  scoped: boolean;
  /** What the text says before the call that is read now, though it is done after it. */
  told?: readonly Draft[];
  /** How the calls were chosen, where functions are what is called. */
  choice?: Choice;
  /** What words mean, where a lexical resource is at hand. */
  readonly words?: Words;
  /** What an encoder says of the goal and the resources, where one is at hand. */
  readonly meaning?: Meaning;
  /** For those who learn weights: told of each call and the values that it could take. */
  readonly observe?: (call: Call, candidates: readonly Candidate[]) => void;
}

/** A plan has at most this many tasks; what is asked beyond that is reported. */
export const maxTasks = 200;

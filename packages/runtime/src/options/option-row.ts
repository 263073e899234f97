import type { OptionCheck } from "@planloom/plan";

/**
 * An option of the command line. What it takes follows from the check of its row: a number, or one of a few texts; anything else is read by the
 * command line itself.
 */
export interface OptionFlag {
  /** As the help writes it: `--concurrency <n>`. */
  readonly name: string;
  /** Its line of the help; the row's default is added. */
  readonly help: string;
  /** It may be given again. */
  readonly repeats?: true;
}

/** Where a `Planloom` takes the option, for all of its runs. */
export type InstanceScope =
  /** Each run gets it unless the call says otherwise, and the journal keeps it. */
  | "each run"
  /** Likewise, and given again to each resumption, since no journal keeps it. */
  | "each session"
  /** It holds over all runs together. */
  | "all runs"
  /** `Planloom` brings it itself, or it belongs to one call. */
  | "no";

/** Everything that is known of one option of `run`, but what it does. */
export interface OptionRow {
  readonly check: OptionCheck;
  /** What holds where it is left out, for numbers, texts and booleans; what depends on other options is filled in by `readSettings`. */
  readonly default?: number | string | boolean;
  /** The default as the documentation says it, where `default` does not say all. */
  readonly defaultText?: string;
  /** Field of `StoredOptions` that keeps it, in runs where it was given; `Infinity` is `null` there. @default it is kept in a form of its own, or not at all */
  readonly stored?: string;
  /** It is stored with its default as well. */
  readonly storedAlways?: true;
  /** Kept in the journal in a form of its own, by code of its own. */
  readonly storedAs?: string;
  /** Field of a dispatch's settings that takes it to workers; `Infinity` and what is absent are `null` there. */
  readonly worker?: string;
  readonly instance: InstanceScope;
  /** Which value holds in a resumed run, that of its beginning or that which the program asks of every run: the `lower`, or as code of its `own` says. */
  readonly stricter?: "lower" | "own";
  /** Field of a task that overrides it. */
  readonly task?: string;
  /** It holds for tasks that start while their plan is being written. */
  readonly early?: true;
  /** The option of the command line that sets it. */
  readonly flag?: OptionFlag;
  /** One line for the table of the documentation; the doc comment of `RunOptions` says it whole. */
  readonly doc: string;
}

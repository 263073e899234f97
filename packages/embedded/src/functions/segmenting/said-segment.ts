import type { Effect } from "../../catalogue/effect.ts";
import type { Near } from "../../meaning/nearness.ts";
import type { Opening } from "./opening.ts";
import type { SegmentValues } from "./segment-values.ts";

/** What a segment says, whatever it could call. */
export interface SaidSegment {
  /** It is one question: what is said to change something is not called for it. */
  readonly isQuestion: boolean;
  /** Features that each of its calls has. */
  readonly shared: Float64Array;
  readonly values: Readonly<SegmentValues>;
  readonly opening: Opening;
  readonly asked: Effect;
  readonly isActing: boolean;
  /** Whether some resource has the verb that opens it. */
  readonly hasHolders: boolean;
  /** Verbs further on by which some resource is called. */
  readonly later: readonly string[];
  readonly near: Near | undefined;
  /** Stems that are said, as they are or in other words. */
  readonly seen: ReadonlySet<string>;
  /** Stems of the noun that is asked for, where nothing is to be changed, and of what "how big" measures. */
  readonly sought: { readonly noun: string | undefined; readonly measures: readonly string[] };
  /** What is acted on, and the stems said so far; absent where nothing is. */
  readonly acted: { readonly object: string; readonly seen: ReadonlySet<string> } | undefined;
  /** All things of an owner are to be changed ("all orders of customer 7"). */
  readonly ofMany: boolean;
}

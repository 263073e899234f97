import type { Chosen } from "../../draft/chosen.ts";
import type { Draft } from "../../draft/draft.ts";
import type { PlanningState } from "../../draft/planning-state.ts";
import type { Words } from "../../language/words/wordnet.ts";
import type { Meaning } from "../../meaning/meaning.ts";
import type { CallChoice } from "../segmenting/call-choice.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";

/** Which planner reads a sentence: by what resources do, or by what they are about. */
export type Reader = "functions" | "records";

/** The state of a planning over functions, which reads the goal call by call. */
export interface FunctionPlanning extends PlanningState {
  /** Calls that the goal mentions before the one that is read now, and that are executed after it. */
  mentionedEarlier?: readonly Draft[];
  /** Why each call was chosen, by its draft. */
  readonly chosen: Map<Draft, Chosen>;
  /** How the calls were chosen; set once they are. */
  choice?: CallChoice;
  /** Who reads the sentences of the goal. @default what the resources suggest */
  readonly reader?: Reader;
  /** What words mean, where a lexical resource is given. */
  readonly words?: Words;
  /** What an encoder says of the goal and the resources, where one is given. */
  readonly meaning?: Meaning;
  /** Receives each call and all values that its arguments could take; the programs that learn weights listen here. */
  readonly observe?: (call: Call, candidates: readonly Candidate[]) => void;
}

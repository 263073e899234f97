import type { Draft } from "../draft/draft.ts";
import type { PlanningState } from "../draft/planning-state.ts";

/** The state of a planning over records, which reads the goal clause by clause. */
export interface RecordPlanning extends PlanningState {
  /** The drafts that each clause asked for, oldest first. */
  readonly groups: Draft[][];
  /** Whether the words of a draft ask for a change while its tool only reads. */
  readonly isUnmetChange: (draft: Draft) => boolean;
  /** The clause before only said where the next one applies: "For each order, …". */
  scoped: boolean;
}

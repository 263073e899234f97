import type { PlanningState } from "../draft/planning-state.ts";
import { splitClauses } from "../language/clauses/clauses.ts";
import { readClause } from "../language/clauses/phrases.ts";
import { tokenise } from "../language/text/token.ts";
import { planClause } from "./plan-clause.ts";
import type { RecordPlanning } from "./record-planning.ts";

/**
 * Reads a goal as questions about records, clause by clause, and adds the tasks to the state's drafts.
 * @returns how many tasks come from what is only remembered: the text before `goalStart`
 */
export function readClauses(state: PlanningState, goalStart: number): number {
  const planning: RecordPlanning = { ...state, groups: [], scoped: false };
  const { catalogue, text, dates } = planning;
  let remembered = 0;
  for (const raw of splitClauses(tokenise(text, dates), catalogue)) {
    const clause = readClause(raw, catalogue);
    const isMemory = (raw.tokens[0]?.start ?? 0) < goalStart;
    planClause(clause, planning);
    if (!isMemory) continue;
    remembered = planning.drafts.length;
    planning.unresolved.length = 0;
  }
  return remembered;
}

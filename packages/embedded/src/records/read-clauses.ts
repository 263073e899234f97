import type { PlanningState } from "../draft/planning-state.ts";
import { reportRefused } from "../draft/report-refused.ts";
import { splitClauses } from "../language/clauses/clauses.ts";
import { readClause } from "../language/clauses/phrases.ts";
import { refusals } from "../language/clauses/refusals.ts";
import { withWrittenTexts } from "../language/clauses/written-texts.ts";
import { spellOut } from "../language/text/short-forms.ts";
import { withoutSlips } from "../language/text/slips.ts";
import { blank, type Token, tokenise } from "../language/text/token.ts";
import { planClause } from "./plan-clause.ts";
import type { RecordPlanning } from "./record-planning.ts";

/**
 * Reads a goal as questions about records, clause by clause, and adds the tasks to the state's drafts.
 * @returns how many tasks come from what is only remembered: the text before `goalStart`
 */
export function readClauses(
  state: PlanningState,
  goalStart: number,
  isUnmetChange: RecordPlanning["isUnmetChange"],
): number {
  const planning: RecordPlanning = { ...state, groups: [], scoped: false, isUnmetChange };
  const { catalogue, text, dates } = planning;
  const words = withoutSlips(tokenise(text, dates), catalogue.spelling, catalogue.knows, state.readAs);
  const said = spellOut(words, catalogue.shortForms, catalogue.knows);
  const tokens = withWrittenTexts(said, text, catalogue);
  const refused = refusals(tokens, catalogue.verbs);
  const isRefused = ({ start }: Token) => refused.some((span) => start >= span.start && start < span.end);
  const asking = refused.length === 0 ? tokens : tokens.map((token) => (isRefused(token) ? blank(token) : token));
  let remembered = 0;
  for (const raw of splitClauses(asking, catalogue)) {
    const clause = readClause(raw, catalogue);
    const isMemory = (raw.tokens[0]?.start ?? 0) < goalStart;
    planClause(clause, planning);
    if (!isMemory) continue;
    remembered = planning.drafts.length;
    planning.unresolved.length = 0;
  }
  const [only] = refused;
  if (only !== undefined && planning.drafts.length === 0 && planning.unresolved.length === 0)
    reportRefused(only, planning);
  return remembered;
}

import type { Resource } from "@planloom/plan";
import { readCatalogue } from "../../packages/embedded/src/catalogue/catalogue.ts";
import { isAboutRecords } from "../../packages/embedded/src/choose-planner.ts";
import type { FunctionPlanning } from "../../packages/embedded/src/functions/arguments/function-planning.ts";
import { readFunctions } from "../../packages/embedded/src/functions/read-functions.ts";
import { looksAhead, unquoted } from "../../packages/embedded/src/goal-text.ts";
import { courtesiesIn } from "../../packages/embedded/src/language/clauses/courtesies.ts";
import { readClock } from "../../packages/embedded/src/language/temporal/calendar.ts";
import { findDates } from "../../packages/embedded/src/language/temporal/find-dates.ts";
import { withBlanks } from "../../packages/embedded/src/said-timing.ts";
import type { Item } from "./plans-data.ts";

/** What the planner makes of an item inside, for those who learn from it; undefined where its tools hold no functions. */
export function readItem(
  item: Item,
  resources: readonly Resource[],
  observe?: NonNullable<FunctionPlanning["observe"]>,
): FunctionPlanning | undefined {
  const clock = readClock({ now: "2024-01-01T00:00:00Z", timeZone: "UTC" });
  const catalogue = readCatalogue(resources);
  const polite = unquoted(item.query.trim());
  const text = withBlanks(polite, courtesiesIn(polite, 0, catalogue.verbs));
  if (isAboutRecords(text, catalogue)) return undefined;
  const planning: FunctionPlanning = {
    catalogue,
    clock,
    text,
    polite,
    dates: findDates(text, clock, { forward: looksAhead(text) }),
    drafts: [],
    readAs: new Map(),
    chosen: new Map(),
    unresolved: [],
    ...(observe !== undefined && { observe }),
  };
  readFunctions(planning, 0);
  return planning;
}

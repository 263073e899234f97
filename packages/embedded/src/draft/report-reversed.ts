import type { Draft } from "./draft.ts";
import type { PlanningState } from "./planning-state.ts";

/** A period whose first day is after its last is what no goal means. Linear in the arguments. */
export function reportReversed(drafts: readonly Draft[], planning: PlanningState): void {
  for (const draft of drafts) {
    const at = (wanted: "start" | "end") => {
      const found = [...draft.filled.values()].filter(({ parameter }) => parameter.side === wanted);
      const filling = found.length === 1 ? found[0]!.filling : undefined;
      const isDay = filling?.kind === "value" && typeof filling.value === "string" && day.test(filling.value);
      return isDay ? { value: String(filling.value), said: filling.origin?.text ?? String(filling.value) } : undefined;
    };
    const [start, end] = [at("start"), at("end")];
    if (start === undefined || end === undefined || start.value.slice(0, 10) <= end.value.slice(0, 10)) continue;
    const message = `The period that \`${draft.profile.label}\` was given begins on ${start.value} and ends before, on ${end.value}: "${end.said}" may mean something else.`;
    planning.unresolved.push({ reason: "no_parameter", text: end.said, message, draft });
  }
}

const day = /^\d{4}-\d{2}-\d{2}/;

import { pathText } from "../catalogue/parameter.ts";
import { type Draft, key } from "./draft.ts";
import { usesDefault } from "./tasks.ts";

/** Where an argument of a planned task comes from. */
export interface Provenance {
  /**
   * `goal`: said there; `reference`: the output of another task; `default`: the schema's own; `earlier`: said for a task
   * before; `context`: remembered; `job`: a setting of the job.
   */
  readonly source: "goal" | "reference" | "default" | "earlier" | "context" | "job";
  /** `goal`: the words that were read as the value, where they are together in the goal. */
  readonly text?: string;
  /** Offset of the text in the goal, UTF-16; absent where the goal was rewritten with what is remembered, or the text is not in one place of it as it was read. */
  readonly start?: number;
  /** `reference`: the tasks. */
  readonly tasks?: readonly string[];
  /** How likely the value is right, 0 to 1, where that was estimated. */
  readonly likelihood?: number;
}

/** By task id and argument (`a.b` for an inner field): where each value comes from. */
export type ProvenanceByTask = Readonly<Record<string, Readonly<Record<string, Provenance>>>>;

/** Where a word of the text that was read is in the goal; "before" for what is only remembered; undefined where it is in no one place of the goal. */
export type PlaceInGoal = (start: number, text: string | undefined) => number | "before" | undefined;

export function provenanceOf(
  drafts: readonly Draft[],
  ids: ReadonlyMap<Draft, string>,
  placeOf: PlaceInGoal,
): ProvenanceByTask {
  return Object.fromEntries(
    drafts.map((draft) => {
      const own = new Map<string, Provenance>();
      for (const parameter of draft.profile.parameters)
        if (usesDefault(draft, parameter)) own.set(pathText(parameter.path), { source: "default" });
      for (const { parameter } of draft.filled.values())
        own.set(pathText(parameter.path), of(draft, key(parameter), ids, placeOf));
      return [ids.get(draft) ?? "", Object.fromEntries(own)];
    }),
  );
}

function of(draft: Draft, slot: string, ids: ReadonlyMap<Draft, string>, placeOf: PlaceInGoal): Provenance {
  const filling = draft.filled.get(slot)?.filling;
  if (filling === undefined || filling.kind === "value") {
    const { source = "goal", text, start, likelihood } = filling?.origin ?? {};
    const offset = start === undefined ? undefined : placeOf(start, text);
    if (offset === "before") return { source: "context", ...(text !== undefined && { text }) };
    return {
      source,
      ...(text !== undefined && { text }),
      ...(offset !== undefined && { start: offset }),
      ...(likelihood !== undefined && { likelihood }),
    };
  }
  const links =
    filling.kind === "link" ? [filling.link] : filling.composed.parts.filter((part) => typeof part !== "string");
  const tasks = [...new Set(links.map((link) => ids.get(link.source) ?? ""))];
  const likelihood = filling.kind === "link" ? filling.likelihood : undefined;
  return { source: "reference", tasks, ...(likelihood !== undefined && { likelihood }) };
}

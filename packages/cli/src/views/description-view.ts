import type { PlanloomDescription } from "planloom";

/** What a `Planloom` runs with, as lines for a person; each with a name. */
export function descriptionLines(given: PlanloomDescription): readonly (readonly [name: string, text: string])[] {
  const { journal, controller, model, confirm, limits } = given;
  const kept =
    journal.max_ended_runs === undefined
      ? ""
      : `, ${journal.max_ended_runs} ended runs stay and older ones are forgotten`;
  const lasting = journal.durable === false ? "lives as long as this process" : "";
  const events = journal.events ? "keeps events" : "keeps no events";
  const limited = Object.entries(limits).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const asked = [
    `goals: ${confirm.goals}`,
    `plans handed in: ${confirm.plans}`,
    ...(confirm.always.length > 0 ? [`always: ${confirm.always.join(", ")}`] : []),
    ...(confirm.never.length > 0 ? [`never: ${confirm.never.join(", ")}`] : []),
  ];
  return [
    ["journal", `${[journal.name, lasting, events].filter((part) => part !== "").join(", ")}${kept}`],
    [
      "controller",
      model === undefined ? `${controller}; no model: llm tasks are skipped` : `${controller}; llm tasks: ${model}`,
    ],
    ["limits", limited.length === 0 ? "none over all runs; each run makes 4 calls at once" : limited.join(", ")],
    ["confirmation", asked.join("; ")],
    ["unknown calls", given.on_unknown],
    ["secrets", given.secrets.length === 0 ? "none" : `${given.secrets.join(", ")} (values are never shown)`],
  ];
}

import { isRecord } from "@planloom/plan";

/** Names that the plans below may use. */
export const offeredTools = ["offices_list", "visits_list", "send_letter", "weather.by-city", "df.sort_values(by="];

const tasks = [
  { task_id: "offices", tool_id: "offices_list", arguments: { city: "Lyon", limit: 5, open: true }, dependencies: [] },
  {
    task_id: "visits",
    tool_id: "visits_list",
    arguments: { ids: "${offices.items.*.id}", text: 'He said "no", twice:\n- é 👍\t\\', range: [1, 2.5e3, -4, null] },
    dependencies: ["offices"],
  },
  { task_id: "letter", tool_id: "send_letter", arguments: { to: { name: "O'Hara" } }, dependencies: ["visits"] },
];
const json = JSON.stringify({ tasks });
const python = json.replaceAll('"', "'").replaceAll("true", "True").replaceAll("null", "None");

/** Plans as models write them. */
export const modelTexts: readonly string[] = [
  json,
  JSON.stringify({ tasks }, null, 2),
  JSON.stringify(tasks),
  `Sure! Here is the {plan}:\n\n\`\`\`json\n${json}\n\`\`\`\nIt isn't [long].`,
  `<think>Maybe {"tasks": []}? I'd say no.</think>\n<plan>${json}</plan>`,
  python,
  json.replaceAll(/"(\w+)":/g, "$1:").replaceAll("}", ",}"),
  json.replaceAll('"', '\\"'),
  JSON.stringify(json),
  `{"Thought": "I need "offices", then "visits"", "tool_id": offices_list",}`,
  '"Thought": I look for the offices first,\n"tool_id": "df.sort_values(by="A", ascending=True)"\n',
  '[{"task_id": "a", "tool_id": "offices_list", "arguments": {"q": "x" + "y", /* why */ n: 007}} {"task_id": b}',
];

/** Strings and keys of a value, any depth. */
export function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return isRecord(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...textsOf(inner)]) : [];
}

/**
 * Texts of a value that do not stand in what it was read from. A text with escapes, one joined by `+` or one with a think block in
 * the middle may say them otherwise.
 */
export function inventedTexts(raw: string, value: unknown): string[] {
  return /[\\+]|<\/?think/i.test(raw) ? [] : textsOf(value).filter((text) => !raw.includes(text));
}

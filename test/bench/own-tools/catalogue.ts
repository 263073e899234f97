import type { Resource } from "@planloom/plan";

/** Tools as somebody writes them for a first try, and goals with the plans that are right. */
export interface OwnCatalogue {
  readonly name: string;
  readonly tools: readonly Resource[];
  /** A goal, and what is right (see `isRight`). */
  readonly goals: readonly (readonly [goal: string, expected: string])[];
}

export const catalogue = (name: string, tools: Resource[], goals: OwnCatalogue["goals"]): OwnCatalogue => ({
  name,
  tools,
  goals,
});

const types: Readonly<Record<string, object>> = {
  s: { type: "string" },
  n: { type: "number" },
  i: { type: "integer" },
  b: { type: "boolean" },
  d: { type: "string", format: "date" },
  dt: { type: "string", format: "date-time" },
  ss: { type: "array", items: { type: "string" } },
};

/** "status:e(open|closed)!": a name, a type (`s` where none is said) and whether it must be given. */
function readField(said: string) {
  const required = said.endsWith("!");
  const [name = "", type = "s"] = said.replace(/!$/, "").split(":");
  const choices = /^e\((.*)\)$/.exec(type)?.[1]?.split("|");
  const schema = choices === undefined ? (types[type] ?? {}) : { type: "string", enum: choices };
  return { name, required, schema };
}

function objectOf(fields: readonly string[]) {
  const read = fields.map(readField);
  const required = read.filter((field) => field.required).map(({ name }) => name);
  return { type: "object", properties: Object.fromEntries(read.map(({ name, schema }) => [name, schema])), required };
}

/** @param output "tickets[]: ticket_id, subject" for rows, "ticket_id, subject" for one thing; none without a schema */
export function tool(
  id: string,
  description: string,
  parameters: readonly string[],
  output?: string,
  readOnly?: boolean,
): Resource {
  const [, rows, fields = ""] = /^(?:(\w+)\[\]: )?(.*)$/.exec(output ?? "") ?? [];
  const row = objectOf(fields.split(", "));
  const whole = rows === undefined ? row : { type: "object", properties: { [rows]: { type: "array", items: row } } };
  return {
    ...{ kind: "tool", id, description, input_schema: objectOf(parameters) },
    ...(readOnly !== undefined && { read_only: readOnly }),
    ...(output !== undefined && { output_schema: whole }),
  };
}

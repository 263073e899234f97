import { isRecord, type PlannerTaskInput, type Resource } from "@planloom/plan";

/** A text, a number or a switch in a plan, and where it is. */
export interface PlanValue {
  readonly value: string | number | boolean;
  /** Position of the task. */
  readonly task: number;
  /** From the task on: `["arguments", "filter", "ids", 0]`. */
  readonly path: readonly (string | number)[];
}

/** Fields of a task that hold what is to be done; the others say how it is run, and how it is shown. */
const contentFields = ["arguments", "parameters", "instructions", "for_each", "when"] as const;
/** Fields that people and agents read. */
const tellingFields = ["description", "title"] as const;

/** Every value that a plan holds, in order. References and secrets are none: they point at something. */
export function planValues(tasks: readonly PlannerTaskInput[]): PlanValue[] {
  const values: PlanValue[] = [];
  for (const [task, fields] of tasks.entries()) {
    for (const name of [...contentFields, ...tellingFields])
      visit(fields[name], [name], (value, path) => values.push({ value, task, path }));
  }
  return values;
}

function visit(
  value: unknown,
  path: readonly (string | number)[],
  add: (value: PlanValue["value"], path: PlanValue["path"]) => void,
): void {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") add(value, path);
  else if (Array.isArray(value)) for (const [at, item] of value.entries()) visit(item, [...path, at], add);
  else if (isRecord(value) && !("$ref" in value) && !("$secret" in value))
    for (const [key, item] of Object.entries(value)) visit(item, [...path, key], add);
}

/** A value is put in at its place; everything else is shared. */
export function withValue<T>(holder: T, path: readonly (string | number)[], value: unknown): T {
  const [key, ...rest] = path;
  if (key === undefined) return value as T;
  if (Array.isArray(holder)) return holder.map((item, at) => (at === key ? withValue(item, rest, value) : item)) as T;
  const entries = Object.entries(holder as object).map(([name, item]) => [
    name,
    name === key ? withValue(item, rest, value) : item,
  ]);
  return Object.fromEntries(entries) as T;
}

/** Whether the plan means the same without the value: it is only shown to people. */
export const isTelling = ({ path }: PlanValue): boolean => (tellingFields as readonly unknown[]).includes(path[0]);

/** The schema of an argument, where the resource declares one. */
export function valueSchema({ path }: PlanValue, resource: Resource | undefined): Record<string, unknown> | undefined {
  if (path[0] !== "arguments" || resource === undefined) return undefined;
  let schema: unknown = resource.input_schema;
  for (const step of path.slice(1)) {
    if (!isRecord(schema)) return undefined;
    schema =
      typeof step === "number" ? schema.items : isRecord(schema.properties) ? schema.properties[step] : undefined;
  }
  return isRecord(schema) ? schema : undefined;
}

/** `filter.ids[0]`, as people read it. */
export function pathName({ path }: PlanValue): string {
  const [field, ...inner] = path;
  const shown = field === "arguments" || field === "parameters" ? inner : path;
  return shown.map((step, at) => (typeof step === "number" ? `[${step}]` : at === 0 ? step : `.${step}`)).join("");
}

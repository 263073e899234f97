import type { Resource, TaskResult } from "planloom";

/** Words in the names of parameters that say how many rows are given at most: `limit`, `maxResults`, `page_size`, `per_page`. */
const limiting = /^(limit|max|maximum|size|count|top|first|rows|results|per)$/;

/**
 * The limiting parameter whose default is exactly the number of rows, where the call gave no other number: there may be more rows.
 * Undefined for any other output.
 */
export function defaultLimit({ uid, input, output }: TaskResult, resources: readonly Resource[]): string | undefined {
  if (!Array.isArray(output) || output.length === 0) return undefined;
  const rows = output.length;
  const schema = resources.find(({ id }) => id === uid)?.input_schema;
  const properties: object =
    typeof schema === "object" && typeof schema.properties === "object" ? (schema.properties ?? {}) : {};
  return Object.entries(properties).find(([name, property]) => {
    const byDefault: unknown = Object(property).default;
    const words = name
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .split(/[_-]/);
    return byDefault === rows && (input?.[name] ?? rows) === rows && words.some((word) => limiting.test(word));
  })?.[0];
}

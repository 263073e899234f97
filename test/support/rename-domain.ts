import { isRecord, type Resource } from "@planloom/plan";

/** Old word -> new word, for identifiers, allowed values and places alike. */
export type Words = Readonly<Record<string, string>>;

/**
 * The same resources in another trade: every tool id, parameter, output field and allowed value is replaced, and the
 * words of descriptions. A word that the table lacks is an error, so that nothing stays by oversight.
 */
export function renameResources(resources: readonly Resource[], words: Words): Resource[] {
  const rename = (name: string): string => {
    const renamed = words[name];
    if (renamed === undefined) throw new Error(`The table has no word for ${JSON.stringify(name)}.`);
    return renamed;
  };
  const schema = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(schema);
    if (!isRecord(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, part]) => {
        if (key === "properties" && isRecord(part)) {
          return [key, Object.fromEntries(Object.entries(part).map(([name, each]) => [rename(name), schema(each)]))];
        }
        if ((key === "required" || key === "enum") && Array.isArray(part))
          return [key, part.map((each) => rename(String(each)))];
        if (key === "description" && typeof part === "string") return [key, renameText(part, words)];
        return [key, schema(part)];
      }),
    );
  };
  return resources.map((resource) => ({
    ...resource,
    id: rename(resource.id),
    description: renameText(resource.description, words),
    ...(resource.input_schema !== undefined && {
      input_schema: schema(resource.input_schema) as Record<string, unknown>,
    }),
    ...(resource.output_schema !== undefined && {
      output_schema: schema(resource.output_schema) as Record<string, unknown>,
    }),
  }));
}

/** Arguments and references of a plan in the new words. */
export function renameSteps<Step extends { tool: string; params: unknown }>(
  steps: readonly Step[],
  words: Words,
): Step[] {
  const value = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(value);
    if (isRecord(part))
      return Object.fromEntries(Object.entries(part).map(([key, each]) => [words[key] ?? key, value(each)]));
    if (typeof part !== "string") return part;
    if (part.startsWith("${")) return part.replace(/\.(\w+)\}$/, (_, field: string) => `.${words[field] ?? field}}`);
    return words[part] ?? part;
  };
  return steps.map((step) => ({ ...step, tool: words[step.tool] ?? step.tool, params: value(step.params) }));
}

function renameText(text: string, words: Words): string {
  return text.replace(/[A-Za-z_]+/g, (word) => words[word.toLowerCase()] ?? word);
}

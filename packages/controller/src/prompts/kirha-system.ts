import type { Resource } from "@planloom/plan";
import { shortNames } from "./short-names.ts";
import { stringifyJson5 } from "./stringify-json5.ts";

/**
 * System message for a model trained on Kirha's format: the instructions, if any, then the tools as JSON5 with
 * their schemas as JSON text. Nothing else, for such a model has seen nothing else.
 */
export function kirhaSystemPrompt({
  instructions,
  resources,
}: {
  readonly instructions?: string;
  readonly resources: readonly Resource[];
}): string {
  const names = shortNames(resources);
  const tools = resources.map(({ description, input_schema, output_schema }, index) => ({
    name: names[index],
    description,
    inputSchema: schemaText(input_schema ?? { type: "object" }),
    outputSchema: output_schema === undefined ? undefined : schemaText(output_schema),
  }));
  const parts = [
    ...(instructions ? [`# Instructions\n${instructions}`] : []),
    `# Available tools\n<tools>\n${unclosing(stringifyJson5(tools))}\n</tools>`,
  ];
  return parts.join("\n\n");
}

/** A schema may be given as JSON text, which is used unchanged. */
function schemaText(schema: unknown): string {
  return typeof schema === "string" ? schema : (JSON.stringify(schema) ?? "{}");
}

/** No description ends the block before its end: in JSON5 it is the same character. All else stays as such a model has seen it. */
function unclosing(text: string): string {
  return text.replaceAll(/<(?=\/\s*tools)/gi, "\\u003c");
}

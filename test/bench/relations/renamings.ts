import { isRecord, type JsonSchema } from "@planloom/plan";
import type { PlannedCall, RelatedCase, RelatedTool, Variant } from "./relation.ts";

const wordsOf = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== "");
const title = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1).toLowerCase()}`;
const camel = (name: string) =>
  wordsOf(name)
    .map((word, at) => (at === 0 ? word.toLowerCase() : title(word)))
    .join("");
const joined = (mark: string) => (name: string) =>
  wordsOf(name)
    .map((word) => word.toLowerCase())
    .join(mark);

/** Ways to write the name of a tool that say the same. */
const toolNames: Readonly<Record<string, (tool: RelatedTool) => string>> = {
  "server_ before": ({ server, name }) => `${server.replace(/\W+/g, "_")}_${name}`,
  "mcp__server__ before": ({ server, name }) => `mcp__${server.replace(/\W+/g, "_")}__${name}`,
  "server. before": ({ server, name }) => `${server}.${name}`,
  camelCase: ({ name }) => camel(name),
  snake_case: ({ name }) => joined("_")(name),
  "kebab-case": ({ name }) => joined("-")(name),
};

const parameterNames: Readonly<Record<string, (name: string) => string>> = {
  "parameters camelCase": camel,
  "parameters snake_case": joined("_"),
};

/** The tools by other names of the same words: the same calls must come. */
export function renamingsOf({ query, tools, calls }: RelatedCase): Variant[] {
  const variants: Variant[] = [];
  for (const [form, rename] of Object.entries(toolNames)) {
    const names = new Map(tools.map((tool) => [tool.name, rename(tool)]));
    if (new Set(names.values()).size < names.size || [...names].every(([before, after]) => before === after)) continue;
    variants.push({
      form: `names: ${form}`,
      query,
      tools: tools.map((tool) => ({ ...tool, name: names.get(tool.name) ?? tool.name })),
      calls: calls.map((call) => renamed(call, (name) => names.get(name) ?? name)),
    });
  }
  for (const [form, rename] of Object.entries(parameterNames)) {
    const after = tools.map((tool) => ({
      ...tool,
      ...(tool.inputSchema && { inputSchema: withNames(tool.inputSchema, rename) }),
    }));
    if (JSON.stringify(after) === JSON.stringify(tools)) continue;
    const expected = calls.map(({ tool, args }) => ({ tool, args: renameKeys(args, rename) as PlannedCall["args"] }));
    variants.push({ form: `names: ${form}`, query, tools: after, calls: expected });
  }
  return variants;
}

function renamed({ tool, args }: PlannedCall, rename: (name: string) => string): PlannedCall {
  const text = JSON.stringify(args).replace(/\$\{([^}.[]+)/g, (_, name: string) => `\${${rename(name)}`);
  return { tool: rename(tool), args: JSON.parse(text) as PlannedCall["args"] };
}

function renameKeys(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((each) => renameKeys(each, rename));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [rename(key), renameKeys(each, rename)]));
}

/** The schema with its properties called otherwise, at every depth. */
function withNames(schema: JsonSchema, rename: (name: string) => string): JsonSchema {
  const inner = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(inner);
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, value]) => {
        if (key === "properties" && isRecord(value))
          return [key, Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), inner(each)]))];
        if (key === "required" && Array.isArray(value)) return [key, value.map((name) => rename(String(name)))];
        return key === "enum" || key === "const" || key === "default" ? [key, value] : [key, inner(value)];
      }),
    );
  };
  return inner(schema) as JsonSchema;
}

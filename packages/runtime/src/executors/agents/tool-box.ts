import { issueLine, type ModelTool, type ModelToolCall, readOutput } from "@planloom/controller";
import { isRecord, type JsonSchema, type Resource, validateValue } from "@planloom/plan";
import type { Registry } from "../registry.ts";
import type { OwnTool } from "./own-tool.ts";

/** A tool call of a model after it was read: the tool and its input, or a message to the model instead. */
export type ReadCall =
  | { readonly ok: true; readonly tool: Resource; readonly input: Record<string, unknown> }
  | { readonly ok: true; readonly own: OwnTool; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

const anyObject: JsonSchema = { type: "object" };
const longestName = 64;
/** What the templates of some models put before the names of functions. */
const templatePrefix = /^(?:functions?|tools?|default_api)[.:/]/;
/** What others put behind them: the channel in which gpt-oss calls. */
const templateSuffix = /<\|.*$/s;

const withoutTemplate = (name: string) => name.replace(templateSuffix, "").trim().replace(templatePrefix, "");

/** Tools as a model knows them. Names of models' APIs have fewer characters than ids: `server/tool` is `server__tool`. */
export class ToolBox {
  readonly tools: readonly ModelTool[];
  readonly #byName = new Map<string, Resource>();
  readonly #known: Registry;
  readonly #own = new Map<string, OwnTool>();

  /** @param allowed ids, as tasks may write them. @default all tools of the run */
  constructor(known: Registry, allowed?: readonly string[]) {
    this.#known = known;
    const offered =
      allowed === undefined
        ? known.resources.filter(({ kind }) => kind === "tool")
        : allowed.flatMap((id) => known.find("tool", id)?.resource ?? []);
    for (const resource of new Set(offered)) this.#byName.set(this.#nameOf(resource.id), resource);
    this.tools = [...this.#byName].map(([name, { description, input_schema }]) => ({
      name,
      description,
      parameters: input_schema ?? anyObject,
    }));
  }

  /** Names of the run's tools, as the model knows them. */
  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The id of one of the run's tools by either name. */
  idOf(name: string): string | undefined {
    return this.#find(name)?.id;
  }

  /** Adds a tool of the loop's own, under another name where the run has one of this name. @returns it as it is offered */
  add(tool: OwnTool): ModelTool {
    const name = this.#nameOf(tool.name);
    this.#own.set(name, tool);
    return { name, description: tool.description, parameters: tool.parameters };
  }

  /**
   * Reads a tool call and never guesses: a call that cannot be read becomes a message that says what could be.
   * @param isCut whether the reply ended within this call
   */
  read(call: Pick<ModelToolCall, "name" | "arguments">, isCut = false): ReadCall {
    const name = this.#own.has(call.name) ? call.name : withoutTemplate(call.name);
    const ownTool = this.#own.get(name);
    const tool = this.#find(call.name);
    if (ownTool === undefined && tool === undefined) {
      const own = [...this.#own].flatMap(([name, { isReader }]) => (isReader === true ? [] : [name]));
      const names = [...this.#byName.keys(), ...own];
      const legal = names.length === 0 ? "There are no tools; answer in words." : `Call one of: ${names.join(", ")}.`;
      return { ok: false, problem: `The tool ${JSON.stringify(call.name.slice(0, 200))} is unknown. ${legal}` };
    }
    const schema = ownTool?.parameters ?? tool?.input_schema ?? anyObject;
    const read = readArguments(call.arguments, schema, isCut);
    if (!read.ok) return { ok: false, problem: read.problem };
    const issues = validateValue(read.input, schema).filter(({ severity }) => severity === "error");
    if (issues.length === 0) return { ok: true, ...(ownTool ? { own: ownTool } : { tool: tool! }), input: read.input };
    const lines = issues.slice(0, 10).map(issueLine);
    const text = `The arguments of ${JSON.stringify(call.name)} do not fit:\n${lines.join("\n")}\nIts schema: ${JSON.stringify(schema)}`;
    return { ok: false, problem: text };
  }

  #find(name: string): Resource | undefined {
    const exact = this.#byName.get(name);
    if (exact !== undefined) return exact;
    // Models also write ids as descriptions and plans do.
    const meant = this.#known.find("tool", name)?.resource;
    if (meant !== undefined) return [...this.#byName.values()].find((tool) => tool === meant);
    const bare = withoutTemplate(name);
    return bare === name ? undefined : this.#find(bare);
  }

  #nameOf(id: string): string {
    const name = id
      .replaceAll("/", "__")
      .replaceAll(/[^\w-]/g, "_")
      .slice(0, longestName);
    if (!this.#byName.has(name) && !this.#own.has(name)) return name;
    for (let number = 2; ; number++) {
      const numbered = `${name.slice(0, longestName - 6)}_${number}`;
      if (!this.#byName.has(numbered)) return numbered;
    }
  }
}

type ReadArguments =
  | { readonly ok: true; readonly input: Record<string, unknown> }
  | { readonly ok: false; readonly problem: string };

/** Arguments of a tool call, mended where they are nearly JSON. An empty text, or null, means no arguments, or none yet where the call was cut off. */
function readArguments(text: string, schema: JsonSchema, isCut: boolean): ReadArguments {
  const isEmpty = ["", "null"].includes(text.trim());
  if (isEmpty && !isCut) return { ok: true, input: {} };
  const read = readOutput(text, { schema });
  const contradiction = read.found ? read.contradiction : undefined;
  if (read.found && !read.truncated && contradiction === undefined && isRecord(read.value))
    return { ok: true, input: read.value };
  const cut = isCut || (read.found && read.truncated) ? "they were cut off" : (contradiction ?? "they cannot be read");
  return {
    ok: false,
    problem: `Expected the arguments as one JSON object, but ${cut}. Its schema: ${JSON.stringify(schema)}`,
  };
}

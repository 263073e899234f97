import { isRecord, type JsonSchema, type Resource, validateValue } from "@planloom/plan";

/** Numbers from 0 to 1 that follow from a seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export interface WrittenCall {
  readonly resource: Resource;
  readonly args: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface WrittenGoal {
  readonly text: string;
  readonly calls: readonly WrittenCall[];
  /** "then" stands between the calls. */
  readonly inOrder: boolean;
}

type Schema = Readonly<Record<string, unknown>>;

/** Ways to write a call out. */
export const forms = [
  "pairs",
  "colons",
  "sentence",
  "json",
  "parentheses",
  "object in parentheses",
  "flags",
  "dotted",
] as const;
export type Form = (typeof forms)[number];

const texts = [
  "facebook",
  "main",
  "open",
  "hello world",
  "Fix the login bug",
  "/home/anna/My Documents/plan.md",
  "src/index.ts",
  "~/notes",
  "C:\\temp\\new.txt",
  "https://example.org/a/b?x=1&y=2#top",
  "a=b",
  "k=v&w=z",
  "x == y",
  "SELECT name FROM users WHERE age = 30",
  "it's fine",
  'say "hi"',
  "2026-11-22",
  "v1.2.3",
  "10.0.0.7:8080",
  "#general",
  "@anna",
  "anna@example.org",
  "**/*.ts",
  "label:bug is:open",
  "5",
  "true",
  "one, two",
  "first; second",
  "now then later",
  "line one\nline two",
  "ünïcödé",
  "東京",
  "$HOME",
  "${input}",
  "100%",
  "a.b.c",
  "...",
  "and",
  "with",
  "[x]",
  "{y}",
  "(z)",
  "null",
  "-1",
  "A1:B7",
];

/**
 * Writes calls of a resource out in one form: random values that its schema allows, for all that it requires and some of the
 * rest. Texts are put in quotes where the form needs it, as its description in `docs/embedded-planner.md` says, and at random elsewhere.
 * @returns undefined where the form cannot say what the schema wants
 */
export function writeCall(resource: Resource, form: Form, random: () => number): WrittenCall | undefined {
  const root = resource.input_schema ?? {};
  const args: Record<string, unknown> = {};
  const whole = resolved(root, root);
  const properties = isRecord(whole.properties) ? Object.entries(whole.properties) : [];
  const required = new Set(Array.isArray(whole.required) ? whole.required : []);
  for (const [name, schema] of properties) {
    if (!required.has(name) && random() < 0.6) continue;
    const value = randomValue(schema, root, random, 0);
    const isAllowed =
      value !== undefined && validateValue(value, own(schema, root)).every(({ severity }) => severity !== "error");
    if (isAllowed) args[name] = value;
  }
  const text = write(nameOf(resource), args, form, Object.fromEntries(properties), root, random);
  return text === undefined ? undefined : { resource, args, text };
}

/** A part of a schema that can be judged alone. */
function own(schema: unknown, root: unknown): JsonSchema {
  const definitions = isRecord(root) && isRecord(root.$defs) ? { $defs: root.$defs } : {};
  return isRecord(schema) ? { ...definitions, ...schema } : {};
}

export const nameOf = (resource: Resource) => resource.name ?? resource.id.slice(resource.id.lastIndexOf("/") + 1);

/** One to three calls in one goal, by "then", semicolons or new lines. */
export function writeGoal(
  resources: readonly Resource[],
  random: () => number,
  first?: Resource,
  form?: Form,
): WrittenGoal | undefined {
  const count = random() < 0.5 ? 1 : random() < 0.6 ? 2 : 3;
  const calls: WrittenCall[] = [];
  for (let at = 0; at < count; at += 1) {
    const resource = at === 0 && first !== undefined ? first : resources[Math.floor(random() * resources.length)]!;
    const call = writeCall(
      resource,
      at === 0 && form !== undefined ? form : forms[Math.floor(random() * forms.length)]!,
      random,
    );
    if (call !== undefined) calls.push(call);
  }
  if (calls.length === 0 || (first !== undefined && calls[0]?.resource !== first)) return undefined;
  const joint = [" then ", ", then ", "; ", "\n", ";\n", " and then "][Math.floor(random() * 6)]!;
  return { text: calls.map(({ text }) => text).join(joint), calls, inOrder: joint.includes("then") };
}

function resolved(schema: unknown, root: unknown): Schema {
  if (!isRecord(schema)) return {};
  if (typeof schema.$ref !== "string") return schema;
  let target: unknown = root;
  for (const key of schema.$ref.replace(/^#\/?/, "").split("/"))
    if (key !== "" && isRecord(target)) target = target[key];
  return isRecord(target) ? target : {};
}

/** A value that a schema allows; undefined where none is easily made. */
function randomValue(schema: unknown, root: unknown, random: () => number, depth: number): unknown {
  const own = resolved(schema, root);
  const branches = [own.anyOf, own.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (branches !== undefined) {
    const usable = branches.filter((branch) => resolved(branch, root).type !== "null");
    return randomValue(
      { ...own, anyOf: undefined, oneOf: undefined, ...resolved(pick(usable, random), root) },
      root,
      random,
      depth,
    );
  }
  if (Array.isArray(own.enum)) return pick(own.enum, random);
  if (Object.hasOwn(own, "const")) return own.const;
  if (own.pattern !== undefined || depth > 4) return undefined;
  const types = (Array.isArray(own.type) ? own.type : [own.type]).filter((type) => type !== "null");
  const type = types[0] ?? (isRecord(own.properties) ? "object" : own.items !== undefined ? "array" : "string");
  switch (type) {
    case "boolean":
      return random() < 0.5;
    case "integer":
    case "number":
      return numberOf(own, type === "integer", random);
    case "array":
      return listOf(own, root, random, depth);
    case "object":
      return objectOf(own, root, random, depth);
    default:
      return textOf(own, random);
  }
}

const pick = <Item>(items: readonly Item[], random: () => number): Item => items[Math.floor(random() * items.length)]!;

function numberOf(schema: Schema, isWhole: boolean, random: () => number): number {
  const least = Number(
    schema.minimum ?? (schema.exclusiveMinimum === undefined ? -50 : Number(schema.exclusiveMinimum) + 1),
  );
  const most = Number(schema.maximum ?? Math.max(1_000, least + 1_000));
  const value = least + random() * (most - least);
  return isWhole ? Math.max(Math.ceil(least), Math.floor(value)) : Math.round(value * 100) / 100;
}

function listOf(schema: Schema, root: unknown, random: () => number, depth: number): unknown {
  const least = Math.max(1, Number(schema.minItems ?? 0));
  const count = Math.min(Number(schema.maxItems ?? 9), least + Math.floor(random() * 2));
  const items = Array.from({ length: count }, () =>
    randomValue(schema.items ?? { type: "string" }, root, random, depth + 1),
  );
  return items.includes(undefined) ? undefined : items;
}

function objectOf(schema: Schema, root: unknown, random: () => number, depth: number): unknown {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const own = isRecord(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = own.flatMap(([name, part]): [string, unknown][] => {
    const value = required.has(name) || random() < 0.5 ? randomValue(part, root, random, depth + 1) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  if (own.length === 0 && schema.additionalProperties !== false)
    fields.push([
      "field",
      isRecord(schema.additionalProperties)
        ? (randomValue(schema.additionalProperties, root, random, depth + 1) ?? "x")
        : "some text",
    ]);
  return fields.length === 0 || [...required].some((name) => !fields.some(([each]) => each === name))
    ? undefined
    : Object.fromEntries(fields);
}

function textOf(schema: Schema, random: () => number): string | undefined {
  if (schema.format === "date") return "2026-11-22";
  if (schema.format === "date-time") return "2026-11-22T10:00:00Z";
  if (schema.format === "email") return "anna@example.org";
  if (schema.format === "uri" || schema.format === "url") return "https://example.org/a?b=c";
  if (schema.format !== undefined) return undefined;
  const least = Number(schema.minLength ?? 1);
  const most = Number(schema.maxLength ?? 1_000);
  const fitting = texts.filter((text) => text.length >= least && text.length <= most);
  return fitting.length === 0 ? undefined : pick(fitting, random);
}

function write(
  name: string,
  args: Readonly<Record<string, unknown>>,
  form: Form,
  properties: Schema,
  root: unknown,
  random: () => number,
): string | undefined {
  const entries = Object.entries(args);
  const lead = random() < 0.3 ? pick(["Call ", "call ", "Run ", "Use ", "Please call "], random) : "";
  if (form === "json") return `${lead}${name} ${JSON.stringify(args)}`;
  if (form === "object in parentheses") return `${lead}${name}(${JSON.stringify(args)})`;
  if (entries.length === 0)
    return form === "parentheses"
      ? `${lead}${name}()`
      : lead === "" && /^\p{L}[\p{Ll} ]*$/u.test(name)
        ? `Call ${name}`
        : `${lead}${name}`;
  const said = (value: unknown, key: string, sentence = false) =>
    spelled(value, resolved(properties[key], root), root, sentence, random);
  switch (form) {
    case "parentheses":
      return `${lead}${name}(${entries.map(([key, value]) => `${key}${pick(["=", ": "], random)}${typeof value === "string" ? JSON.stringify(value) : JSON.stringify(value)}`).join(", ")})`;
    case "colons":
      return `${lead}${name} ${entries.map(([key, value]) => `${key}: ${said(value, key)}`).join(pick([", ", "\n  "], random))}`;
    case "flags":
      return `${lead}${name} ${entries.map(([key, value]) => `--${key}${pick(["=", " "], random)}${said(value, key)}`).join(" ")}`;
    case "sentence":
      return `Call ${name} with ${entries.map(([key, value]) => `${key} ${said(value, key, true)}`).join(" and ")}`;
    case "dotted":
      return `${lead}${name} ${entries.flatMap(([key, value]) => dotted(key, value, resolved(properties[key], root), root, random)).join(" ")}`;
    default:
      return `${lead}${name} ${entries.map(([key, value]) => `${key}=${said(value, key)}`).join(" ")}`;
  }
}

/** `address.city=Berlin edits[0].text=x`: the fields of an object one by one. */
function dotted(path: string, value: unknown, schema: Schema, root: unknown, random: () => number): string[] {
  if (isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).every((key) => /^[\w-]+$/.test(key))) {
    const parts = isRecord(schema.properties) ? schema.properties : {};
    return Object.entries(value).flatMap(([key, each]) =>
      dotted(`${path}.${key}`, each, resolved(parts[key], root), root, random),
    );
  }
  if (Array.isArray(value) && value.length > 0 && value.every(isRecord))
    return value.flatMap((each, at) => dotted(`${path}[${at}]`, each, resolved(schema.items, root), root, random));
  return [`${path}=${spelled(value, schema, root, false, random)}`];
}

/** A value as people type it: without quotes where nothing in it could be taken for the next argument or the next step. */
function spelled(value: unknown, schema: Schema, root: unknown, sentence: boolean, random: () => number): string {
  if (typeof value === "string") {
    const isOpen = isPlainText(schema, root) && !needsQuotes(value, sentence);
    return isOpen && random() < 0.7 ? value : `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
  }
  if (
    Array.isArray(value) &&
    value.every((item) => typeof item === "string" && /^[\w/.-]+$/.test(item) && !/^(?:and|with|then)$/.test(item)) &&
    random() < 0.5 &&
    isListOfTexts(schema, root)
  )
    return value.join(",");
  return JSON.stringify(value);
}

function isPlainText(schema: Schema, root: unknown): boolean {
  if (Array.isArray(schema.enum)) return true;
  const types = [
    schema,
    ...((schema.anyOf ?? schema.oneOf ?? []) as unknown[]).map((each) => resolved(each, root)),
  ].flatMap(({ type }) => type ?? []);
  return types.includes("string") && types.every((type) => type === "string" || type === "null");
}

function isListOfTexts(schema: Schema, root: unknown): boolean {
  return schema.type === "array" && isPlainText(resolved(schema.items, root), root);
}

/** A text that could be read otherwise without them. */
function needsQuotes(text: string, sentence: boolean): boolean {
  return (
    text === "" ||
    text.trim() !== text ||
    /^["'`“«„[{(]|["\n;]|\bthen\b|^(?:null|none)$/i.test(text) ||
    // Longer texts in which a name of an argument could stand.
    (/\s/.test(text) && /[=:,]|--/.test(text)) ||
    /,|^--/.test(text) ||
    (sentence && /\b(?:and|with)\b|^(?:is|as|to|of)\s|[.!?]$/.test(text)) ||
    /[.!?]$/.test(text)
  );
}

export function toTool(
  tool: { readonly name: string; readonly description?: string; readonly inputSchema?: JsonSchema },
  server = "",
): Resource {
  return {
    kind: "tool",
    id: server === "" ? tool.name : `${server}/${tool.name}`,
    name: tool.name,
    description: tool.description ?? "",
    input_schema: tool.inputSchema ?? { type: "object", properties: {} },
  };
}

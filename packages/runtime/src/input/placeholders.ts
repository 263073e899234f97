import {
  collectReferences,
  formatPath,
  isRecord,
  type JsonSchema,
  type PathSegment,
  type PlannerTask,
  referringValues,
} from "@planloom/plan";

const maxDepth = 6;
const maxProperties = 50;

/** How much of a value that does not exist yet is known: leaves are marked texts, `<name.path>`. */
export class Placeholders {
  readonly #paths = new Map<string, PathSegment[][]>();

  /** @param tasks whose references say which paths must exist in values of unknown shape. */
  constructor(tasks: readonly PlannerTask[]) {
    for (const task of tasks) {
      for (const { reference } of collectReferences(referringValues(task))) {
        const paths = this.#paths.get(reference.name);
        if (paths === undefined) this.#paths.set(reference.name, [[...reference.path]]);
        else if (paths.length < maxProperties) paths.push([...reference.path]);
      }
    }
  }

  /** A placeholder for the output that tasks call `name`, shaped by its schema and by what is read of it. */
  of(name: string, schema: JsonSchema | undefined): unknown {
    let value = fromSchema(schema, name, [], 0);
    for (const path of this.#paths.get(name) ?? []) value = withPath(value, path, 0, name);
    return value;
  }
}

function fromSchema(schema: JsonSchema | undefined, name: string, path: PathSegment[], depth: number): unknown {
  if (schema === undefined || typeof schema === "boolean" || depth >= maxDepth) return marker(name, path);
  if (isRecord(schema.properties)) {
    const entries = Object.entries(schema.properties).slice(0, maxProperties);
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, fromSchema(schemaOf(inner), name, [...path, { key }], depth + 1)]),
    );
  }
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.includes("array") || schema.items !== undefined) {
    return [fromSchema(schemaOf(schema.items), name, [...path, { index: 0 }], depth + 1)];
  }
  return marker(name, path);
}

function schemaOf(value: unknown): JsonSchema | undefined {
  return isRecord(value) || typeof value === "boolean" ? value : undefined;
}

/** The value with something at `path`; a marker in the way becomes what the path needs. */
function withPath(value: unknown, path: readonly PathSegment[], at: number, name: string): unknown {
  const segment = path[at];
  if (segment === undefined) return value;
  const here = path.slice(0, at + 1).map((part) => ("map" in part ? { index: 0 } : part));
  const next = (inner: unknown) => withPath(inner === undefined ? marker(name, here) : inner, path, at + 1, name);
  if ("key" in segment) {
    if (Array.isArray(value)) return value;
    const entries = isRecord(value) ? Object.entries(value) : [];
    const known = entries.find(([key]) => key === segment.key)?.[1];
    return Object.fromEntries([...entries.filter(([key]) => key !== segment.key), [segment.key, next(known)]]);
  }
  if ("map" in segment && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, next(inner)]));
  }
  const elements: unknown[] = Array.isArray(value) ? [...value] : [];
  const index = "map" in segment ? 0 : segment.index;
  if (index > 1_000) return value;
  while (elements.length <= index) elements.push(marker(name, [...path.slice(0, at), { index: elements.length }]));
  return elements.map((inner, place) => ("map" in segment || place === index ? next(inner) : inner));
}

function marker(name: string, path: readonly PathSegment[]): string {
  const rest = formatPath(path);
  return `<${name}${rest === "" || rest.startsWith("[") ? "" : "."}${rest}>`;
}

import { describeValue } from "../dialects/dialect-error.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import { nearestNames } from "../validation/nearest-names.ts";
import type { Resource } from "./resource.ts";

type Effect = "read_only" | "destructive" | "idempotent";

/** The words for an effect: those of records first, then those of `defineTool`, then those of MCP. */
const effectOfWord: ReadonlyMap<string, Effect> = new Map([
  ["read_only", "read_only"],
  ["readOnly", "read_only"],
  ["readOnlyHint", "read_only"],
  ["destructive", "destructive"],
  ["destructiveHint", "destructive"],
  ["idempotent", "idempotent"],
  ["idempotentHint", "idempotent"],
]);

/** Fields of a resource that say nothing of its effects. */
const otherFields: ReadonlySet<string> = new Set(
  Object.keys({
    kind: true,
    id: true,
    name: true,
    description: true,
    input_schema: true,
    output_schema: true,
    tags: true,
    sub_type: true,
    protocol_type: true,
    version: true,
    endpoint: true,
    traits: true,
    skills: true,
    estimate: true,
  } satisfies Record<Exclude<keyof Resource, Effect>, true>),
);

/** From here on an unknown field is taken for a misspelt word. */
const leastLikeness = 0.65;

/** By the list as it was given, so that an executor's list stays one object as long as the executor gives the same one. */
const known = new WeakMap<readonly Resource[], readonly Resource[]>();

/**
 * The resources with their effects in the words of records. `readOnly` (as for `defineTool`), and the annotations of MCP (`readOnlyHint`,
 * `destructiveHint`, `idempotentHint`; in the resource itself or in its `annotations`) mean the same as `read_only`, `destructive` and
 * `idempotent`. Other fields stay as they are. The same list where nothing is to be changed.
 * @throws PlanError OPTION for a misspelt word, a value that is not true or false, or words that contradict each other
 */
export function withDeclaredEffects(resources: readonly Resource[]): readonly Resource[] {
  const before = known.get(resources);
  if (before !== undefined) return before;
  const read = resources.map(withEffects);
  const result = read.every((resource, at) => resource === resources[at]) ? resources : read;
  known.set(resources, result);
  return result;
}

function withEffects(resource: Resource): Resource {
  const said = new Map<Effect, { readonly word: string; readonly value: boolean }>();
  let isForeign = false;
  const hear = (word: string, value: unknown, at: string) => {
    if (value === undefined || otherFields.has(word)) return;
    const effect = effectOfWord.get(word);
    if (effect === undefined) {
      const { names, score } = nearestNames(word, effectOfWord.keys());
      if (score < leastLikeness) return;
      const meant = at + names[0];
      const message = `Resource "${resource.id}" has the unknown field \`${at + word}\`: did you mean \`${meant}\`? It decides whether a person is asked before a call.`;
      throw fault(resource, message, at + word, [meant]);
    }
    if (typeof value !== "boolean") {
      const message = `Expected \`${at + word}\` of resource "${resource.id}" to be true or false, got ${describeValue(value)}.`;
      throw fault(resource, message, at + word);
    }
    const other = said.get(effect);
    if (other !== undefined && other.value !== value) {
      const message = `Resource "${resource.id}" says \`${other.word}: ${other.value}\` and \`${at + word}: ${value}\`, which contradict each other. Leave one out.`;
      throw fault(resource, message, at + word);
    }
    said.set(effect, { word: at + word, value });
    isForeign ||= word !== effect || at !== "";
  };
  for (const [word, value] of Object.entries(resource)) hear(word, value, "");
  const { annotations } = resource as { readonly annotations?: unknown };
  if (isRecord(annotations)) for (const [word, value] of Object.entries(annotations)) hear(word, value, "annotations.");
  const [reads, destroys] = [said.get("read_only"), said.get("destructive")];
  if (reads?.value === true && destroys?.value === true) {
    // MCP: the hint that something is destroyed has a meaning only where something is changed.
    if (destroys.word.endsWith("destructiveHint")) said.delete("destructive");
    else throw fault(resource, contradiction(resource.id, reads.word, destroys.word), destroys.word);
  }
  if (!isForeign) return resource;
  return { ...resource, ...Object.fromEntries([...said].map(([effect, { value }]) => [effect, value])) };
}

function contradiction(id: string, reads: string, destroys: string): string {
  return `Resource "${id}" says \`${reads}: true\` and \`${destroys}: true\`, which contradict each other: what changes nothing deletes and overwrites nothing. Leave one out.`;
}

function fault(resource: Resource, message: string, field: string, candidates?: readonly string[]): PlanError {
  return new PlanError(PlanErrorCode.OPTION, message, {
    details: { option: field, kind: resource.kind, id: resource.id, ...(candidates !== undefined && { candidates }) },
  });
}

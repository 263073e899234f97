import type { Resource } from "../ports/resource.ts";
import { brokenSchema } from "./broken-schema.ts";
import type { SchemaNode } from "./schema-node.ts";

/** A resource's schemas, looked at once. */
export interface ResourceTyping {
  readonly resource: Resource;
  /** Why one of its schemas cannot be read; then neither is used. */
  readonly broken?: string;
  readonly input?: SchemaNode;
  readonly output?: SchemaNode;
}

const known = new WeakMap<Resource, ResourceTyping>();

export function resourceTyping(resource: Resource): ResourceTyping {
  let typing = known.get(resource);
  if (!typing) {
    typing = read(resource);
    known.set(resource, typing);
  }
  return typing;
}

function read(resource: Resource): ResourceTyping {
  const { input_schema: input, output_schema: output } = resource;
  const wrongInput = brokenSchema(input);
  const wrongOutput = brokenSchema(output);
  const broken = wrongInput ? `input_schema: ${wrongInput}` : wrongOutput ? `output_schema: ${wrongOutput}` : undefined;
  if (broken) return { resource, broken };
  return {
    resource,
    ...(input !== undefined && { input: { schema: input, root: input } }),
    ...(output !== undefined && { output: { schema: output, root: output } }),
  };
}

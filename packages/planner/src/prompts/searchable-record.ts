import type { Resource } from "@planloom/plan";
import { cutText } from "./cut-text.ts";

/** Characters of a resource's description that reach a prompt. */
const maxDescription = 2_000;

/**
 * A resource as the Agents Planning System's registries list it: `id`, `type` (tools: `tool` or `function`; else the kind), `name`,
 * `description`, and, where known, `tags`, `sub_type`, `protocol_type`, `traits`, `skills`, `schema` (of the input) and
 * `output_schema`.
 */
export function searchableRecord(resource: Resource): Record<string, unknown> {
  const type = resource.kind === "tool" && resource.sub_type === "function" ? "function" : resource.kind;
  const record: Record<string, unknown> = {
    id: resource.id,
    type,
    name: resource.name ?? resource.id,
    description: cutText(resource.description, maxDescription),
    tags: resource.tags ?? [],
  };
  if (resource.sub_type !== undefined) record.sub_type = resource.sub_type;
  if (resource.protocol_type !== undefined) record.protocol_type = resource.protocol_type;
  if (resource.traits !== undefined) record.traits = resource.traits;
  if (resource.skills !== undefined) record.skills = resource.skills;
  record.schema = resource.input_schema ?? {};
  if (resource.output_schema !== undefined) record.output_schema = resource.output_schema;
  return record;
}

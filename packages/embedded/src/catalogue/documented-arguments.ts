import type { Resource } from "@planloom/plan";
import { isRecord } from "@planloom/plan";

/** A heading of its own line under which a description tells of the arguments, or of what comes back. */
const heading =
  /^[ \t]*(?:\*\*|#{1,4} ?)?(args|arguments|parameters|params|inputs?|returns?|raises|yields|output|examples?|notes?)(?:\*\*)?[ \t]*:(?:\*\*)?[ \t]*$/gimu;
const ofArguments = /^(?:args|arguments|parameters|params|inputs?)$/i;
/** `name: text`, `name (str, optional): text`, `- name (required): text`, "- `name`: text". */
const entry =
  /^[ \t]*(?:[-*][ \t]+)?[`*]{0,2}([\p{L}_][\p{L}\p{N}_.-]{0,80})[`*]{0,2}[ \t]*(?:\([^()\n]{0,120}\))?[ \t]*:[ \t]+(\S.*)$/u;

/**
 * The resource with what its description says of its arguments moved to where the schema describes them: servers made of functions
 * write `Args:` with a line for each argument below their description, and leave the schema bare. What the schema describes itself
 * stays as it is. Linear in the description; the resource itself where nothing is moved.
 */
export function withDocumentedArguments(resource: Resource): Resource {
  const { description, input_schema: input } = resource;
  if (!isRecord(input) || !isRecord(input.properties)) return resource;
  const sections = [...description.matchAll(heading)];
  const documented = new Map<string, string>();
  let start: number | undefined;
  sections.forEach((section, at) => {
    if (!ofArguments.test(section[1] ?? "")) return;
    const body = description.slice(section.index + section[0].length, sections[at + 1]?.index);
    for (const [name, text] of readEntries(body, input.properties as Record<string, unknown>))
      documented.set(name, text);
    start ??= section.index;
  });
  if (documented.size === 0 || start === undefined) return resource;
  const properties = Object.fromEntries(
    Object.entries(input.properties).map(([name, part]) => {
      const text = documented.get(name);
      const isBare = isRecord(part) && (typeof part.description !== "string" || part.description.trim() === "");
      return [name, text !== undefined && isBare ? { ...part, description: text } : part];
    }),
  );
  const rest = description.slice(0, start).trim();
  return {
    ...resource,
    ...(rest !== "" && { description: rest }),
    input_schema: { ...input, properties },
  };
}

/** An entry ends with the next one or with an empty line. */
function readEntries(body: string, properties: Readonly<Record<string, unknown>>): Map<string, string> {
  const found = new Map<string, string>();
  let open: string | undefined;
  for (const line of body.split("\n")) {
    const [, name = "", text = ""] = entry.exec(line) ?? [];
    if (name !== "" && Object.hasOwn(properties, name)) {
      found.set(name, text.trim());
      open = name;
    } else if (line.trim() === "" || open === undefined) open = undefined;
    else found.set(open, `${found.get(open)} ${line.trim()}`);
  }
  return found;
}

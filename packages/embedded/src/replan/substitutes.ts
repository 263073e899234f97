import type { ReplanTask } from "@planloom/controller";
import { type PlannerTask, parseReference, type Resource, resourcePin, schemaAtPath } from "@planloom/plan";
import { readCatalogue } from "../catalogue/catalogue.ts";
import { type Profile, readProfile } from "../catalogue/profile.ts";
import { shapeAgreement, shapeOf, shapesTaken } from "../catalogue/value-shape.ts";
import { correctedArguments } from "./corrected-arguments.ts";
import { judgeTask } from "./judge-task.ts";

export interface Substitute {
  readonly resource: Resource;
  readonly arguments: Record<string, unknown>;
}

/**
 * Other resources of the same kind that do the same: about the same thing, with the same action, taking the arguments (as
 * they are or corrected) and giving what the consumers read. Best first; `tried` ones are left out.
 */
export function substitutes(
  marked: ReplanTask,
  resources: readonly Resource[],
  tried: ReadonlySet<string>,
): Substitute[] {
  const { kind, uid } = resourcePin(marked.task as PlannerTask);
  const { profiles } = readCatalogue(resources);
  const own = profiles.find(({ resource }) => resource.kind === kind && resource.id === uid);
  // One that is gone is known by its name and by what the task says.
  const ghost = own ?? readProfile({ kind: kind ?? "tool", id: uid ?? "", description: marked.task.description }, -1);
  const ranked = profiles
    .filter(({ resource }) => (kind === undefined || resource.kind === kind) && resource.id !== uid)
    .filter(({ resource }) => !tried.has(resource.id))
    .map((profile) => ({ profile, score: likeness(profile, ghost) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || left.profile.position - right.profile.position)
    .slice(0, 20);
  return ranked.flatMap(({ profile }) => {
    const { resource } = profile;
    if (!givesWhatIsRead(marked, resource)) return [];
    const fits = judgeTask(marked, { resource }, resources).length === 0;
    const values = fits ? { ...marked.task.arguments } : correctedArguments(marked, resource, resources);
    if (values === undefined || !suitsItsNames(values, marked.task.arguments ?? {}, profile)) return [];
    return [{ resource, arguments: values }];
  });
}

/** Whether texts that have another name now are written as that name wants it: the name of a country is not an address of mail. */
function suitsItsNames(
  values: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>>,
  { parameters, resource }: Profile,
): boolean {
  return parameters.every((parameter) => {
    const [name] = parameter.path;
    const text = parameter.path.length === 1 && typeof name === "string" ? values[name] : undefined;
    if (typeof text !== "string" || text.includes("${") || Object.hasOwn(before, name!)) return true;
    return (
      shapeAgreement(shapeOf({ kind: "word", text }), shapesTaken(parameter, resource.description ?? ""), false) >= 0
    );
  });
}

/** A noun that both are about counts as many stems that both mention. */
const stemsPerNoun = 10;

/** 0: not the same work. Nouns count most; actions must not contradict, so that nothing is deleted in place of a reading. */
function likeness(candidate: Profile, wanted: Profile): number {
  const acts = candidate.actions.size > 0 && wanted.actions.size > 0;
  if (acts && ![...candidate.actions].some((action) => wanted.actions.has(action))) return 0;
  if (wanted.resource.read_only === true && candidate.resource.read_only !== true) return 0;
  const nouns = candidate.entity.filter((noun) => wanted.entity.includes(noun)).length;
  if (nouns === 0 && wanted.entity.length > 0) return 0;
  const shared = [...candidate.about].filter((stem) => wanted.about.has(stem)).length;
  return nouns * stemsPerNoun + shared;
}

function givesWhatIsRead({ task, consumers }: ReplanTask, { output_schema }: Resource): boolean {
  if (output_schema === undefined || task.for_each?.tasks !== undefined) return true;
  // Consumers of a list read elements first, each of which is an output of the resource.
  const levels = task.for_each === undefined ? 0 : 1;
  return consumers.every(({ reads }) =>
    reads.every((path) => {
      const text = path.startsWith("[") ? `x${path}` : path === "" ? "x" : `x.${path}`;
      return schemaAtPath(output_schema, parseReference(text).path.slice(levels)).found !== "no";
    }),
  );
}

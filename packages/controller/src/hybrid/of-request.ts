import type { Resource } from "@planloom/plan";
import type { Phase1Request } from "../behavior-controller.ts";

/** What may be called, by its id. */
export const resourcesOf = ({ resources = [] }: Phase1Request): ReadonlyMap<string, Resource> =>
  new Map(resources.map((resource) => [resource.id, resource]));

/** All that was said with a request: the goal, the context, notes. */
export const saidIn = ({ sections, phase_1_data }: Phase1Request): string =>
  sections?.join("\n") ?? phase_1_data.task_input_data;

import { type JsonSchema, type TaskData, withInnerTasks } from "@planloom/plan";

/**
 * What the data of signals is checked against before they are kept, by event: it has to fit one of the schemas, each of which is there once. Data of an event that is absent is taken as it is,
 * since some task, or what a reference will make of its `event`, takes any. A journal keeps this beside the plan, so that a signal need not read the whole of it.
 */
export function signalSchemasOf({
  planned_tasks,
}: Pick<TaskData, "planned_tasks">): ReadonlyMap<string, readonly JsonSchema[]> {
  const waits = withInnerTasks(planned_tasks).flatMap(({ wait }) => (wait?.event === undefined ? [] : [wait]));
  // What a reference will say is known when the task begins to wait.
  if (waits.some(({ event }) => event!.includes("${"))) return new Map();
  const byEvent = new Map<string, Map<string, JsonSchema> | undefined>();
  for (const { event, schema } of waits) {
    if (schema === undefined) byEvent.set(event!, undefined);
    else if (!byEvent.has(event!)) byEvent.set(event!, new Map([[JSON.stringify(schema), schema]]));
    else byEvent.get(event!)?.set(JSON.stringify(schema), schema);
  }
  const checked = [...byEvent].flatMap(([event, schemas]) =>
    schemas === undefined ? [] : [[event, [...schemas.values()]] as const],
  );
  return new Map(checked);
}

import {
  collectReferences,
  effectiveDependencies,
  type PlannerTask,
  type PlanPatch,
  planHashes,
  resourcePin,
  retiredTasks,
  type TaskData,
} from "@planloom/plan";

const started = new Set(["completed", "failed", "cancelled"]);

/**
 * What a patch broke, found by comparing the two plans task by task. Slow on purpose (reachability by search for every
 * question) and written without the code under test.
 */
export function brokenInvariants(before: TaskData, patch: PlanPatch, after: TaskData): string[] {
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };
  const old = new Map(before.planned_tasks.map((task) => [task.task_id, task]));
  const now = new Map(after.planned_tasks.map((task) => [task.task_id, task]));
  const removed = new Map(patch.replacements.map((each) => [each.task_id, each]));
  const renewed = new Map(patch.renewed.map((each) => [each.task_id, each.new_task_id]));
  const added = patch.tasks.map(({ task_id }) => task_id);
  const oldEdges = edgesOf(before);
  const newEdges = edgesOf(after);

  expect(now.size === after.planned_tasks.length, "an id is there twice");
  for (const [id, sources] of newEdges)
    for (const source of sources) expect(now.has(source), `${id} waits for ${source}, which is not there`);
  if (faults.length > 0) return faults;
  for (const id of now.keys()) expect(!ancestors(id, newEdges).has(id), `${id} is on a cycle`);
  if (faults.length > 0) return faults;

  const hashesBefore = planHashes(before);
  const hashesAfter = planHashes(after);
  const region = new Set(removed.keys());
  const downstream = (id: string): boolean => [...ancestors(id, oldEdges)].some((source) => region.has(source));
  for (const [id, task] of old) {
    if (region.has(id)) {
      expect(!now.has(id), `${id} is replaced and still there`);
      expect(task.status !== "running", `${id} was running`);
      continue;
    }
    const fresh = renewed.get(id);
    const same = now.get(fresh ?? id);
    if (same === undefined) {
      expect(false, `${id} is gone`);
      continue;
    }
    expect(
      hashesBefore.get(id)!.definition_hash === hashesAfter.get(same.task_id)!.definition_hash,
      `${id} does something else`,
    );
    if (!downstream(id)) {
      expect(fresh === undefined, `${id} is renewed for nothing`);
      expect(hashesBefore.get(id)!.content_hash === hashesAfter.get(id)!.content_hash, `${id} has another content`);
      expect(JSON.stringify(same) === JSON.stringify(task), `${id} is touched`);
    }
    if (fresh === undefined) {
      const consumed = readAncestors(id, before);
      const stale = [...consumed].some((source) => region.has(source));
      expect(!stale || !(started.has(task.status) || task.status === "running"), `${id} keeps what it made of the old`);
      if (started.has(task.status)) {
        expect(task.status === same.status, `${id} has another status`);
        expect(JSON.stringify(task.output) === JSON.stringify(same.output), `${id} has another output`);
      }
    } else {
      expect(started.has(task.status), `${id} is renewed before it ran`);
      expect(same.status === "pending" && JSON.stringify(same.output) === "{}", `${fresh} is not to be run`);
    }
  }

  const everUsed = new Set([...old.keys(), ...retiredTasks(before)]);
  for (const id of [...added, ...renewed.values()]) expect(!everUsed.has(id), `${id} comes back`);
  const upstream = new Set([...region].flatMap((id) => [...ancestors(id, oldEdges)]));
  for (const id of added) {
    const task = now.get(id)!;
    expect(task.status === "pending" && JSON.stringify(task.output) === "{}", `${id} is there as if it had run`);
    expect(
      patch.replacements.some(({ replaced_by }) => replaced_by.includes(id)),
      `${id} replaces nothing`,
    );
    for (const source of newEdges.get(id)!) {
      expect(added.includes(source) || (upstream.has(source) && !region.has(source)), `${id} takes from ${source}`);
    }
  }
  for (const [id, { replaced_by }] of removed) {
    for (const source of oldEdges.get(id)!) {
      if (region.has(source)) continue;
      for (const member of replaced_by) {
        expect(ancestors(member, newEdges).has(source), `${member} does not wait for ${source}`);
      }
    }
  }
  // Outside tasks keep their order among themselves, also where it went through the region.
  for (const id of old.keys()) {
    if (region.has(id)) continue;
    const earlier = ancestors(renewed.get(id) ?? id, newEdges);
    for (const source of ancestors(id, oldEdges)) {
      if (region.has(source)) continue;
      expect(earlier.has(renewed.get(source) ?? source), `${id} no longer waits for ${source}`);
    }
  }
  for (const { task_id, argument, name } of danglingNames(after, before)) {
    expect(false, `${task_id} refers to ${name} at ${argument}, which is nothing`);
  }
  expect(
    after.completed_tasks.every((id) => now.has(id)),
    "a completed task is not there",
  );

  const gated = (plan: ReadonlyMap<string, PlannerTask>, id: string) => plan.get(id)?.approval === "required";
  const behindGate = (plan: ReadonlyMap<string, PlannerTask>, edges: EdgeMap, id: string) =>
    [id, ...ancestors(id, edges)].some((each) => gated(plan, each));
  for (const [id, task] of old) {
    const heirs = removed.get(id)?.replaced_by ?? [renewed.get(id) ?? id];
    for (const heir of heirs) {
      const next = now.get(heir)!;
      expect(!gated(old, id) || gated(now, heir), `${heir} lost the gate of ${id}`);
      expect(!behindGate(old, oldEdges, id) || behindGate(now, newEdges, heir), `${heir} is before the gate of ${id}`);
      expect(task.on_failure !== "halt" || next.on_failure === "halt", `${heir} does not halt as ${id} did`);
      const { timeout_ms: limit = Number.POSITIVE_INFINITY, retry } = task;
      expect((next.timeout_ms ?? Number.POSITIVE_INFINITY) <= limit, `${heir} may take longer than ${id}`);
      const attempts = retry?.max_attempts ?? Number.POSITIVE_INFINITY;
      expect(
        (next.retry?.max_attempts ?? Number.POSITIVE_INFINITY) <= attempts,
        `${heir} has more attempts than ${id}`,
      );
    }
  }
  for (const id of added) {
    const tool = now.get(id)!.tool_id;
    const same = before.planned_tasks.filter(({ tool_id }) => tool_id !== null && tool_id === tool);
    const guarded = same.length > 0 && same.every(({ task_id }) => behindGate(old, oldEdges, task_id));
    expect(!guarded || behindGate(now, newEdges, id), `${id} makes a call before its gate`);
  }

  const callsBefore = countCalls(before, (id) => removed.get(id)?.output_from ?? renewed.get(id) ?? id);
  const callsAfter = countCalls(after, (id) => id);
  for (const id of added) {
    const call = callOf(now.get(id)!, after, (same) => same);
    if (call !== undefined) {
      expect(callsAfter.get(call)! <= Math.max(1, callsBefore.get(call) ?? 0), `${id} repeats a call`);
    }
  }
  return faults;
}

type EdgeMap = ReadonlyMap<string, readonly string[]>;

function edgesOf(plan: TaskData): EdgeMap {
  const dependencies = effectiveDependencies(plan);
  return new Map(plan.planned_tasks.map(({ task_id }, index) => [task_id, dependencies[index]!]));
}

function ancestors(id: string, edges: EdgeMap): Set<string> {
  const found = new Set<string>();
  const pending = [...(edges.get(id) ?? [])];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    if (found.has(at)) continue;
    found.add(at);
    pending.push(...(edges.get(at) ?? []));
  }
  return found;
}

/** Tasks whose output went into this one, along references alone. */
function readAncestors(id: string, plan: TaskData): Set<string> {
  const edges = new Map(
    plan.planned_tasks.map((task) => [
      task.task_id,
      [...collectReferences(task.arguments), ...collectReferences(task.parameters)].flatMap(({ reference }) =>
        holderOf(reference.name, plan),
      ),
    ]),
  );
  return ancestors(id, edges);
}

function holderOf(name: string, plan: TaskData): string[] {
  const tasks = plan.planned_tasks;
  const found =
    tasks.find(({ task_id }) => task_id === name) ?? tasks.find(({ result_variable }) => result_variable === name);
  return found === undefined ? [] : [found.task_id];
}

function danglingNames(plan: TaskData, before: TaskData) {
  const known = new Set(["input", ...Object.keys(plan.variables ?? {})]);
  return plan.planned_tasks.flatMap((task) =>
    [...collectReferences(task.arguments), ...collectReferences(task.parameters)]
      .filter(({ reference }) => !known.has(reference.name) && holderOf(reference.name, plan).length === 0)
      // A name that stood for nothing before may go on doing so.
      .filter(({ reference }) => holderOf(reference.name, before).length > 0)
      .map(({ reference, argument_path }) => ({
        task_id: task.task_id,
        argument: argument_path,
        name: reference.name,
      })),
  );
}

function countCalls(plan: TaskData, rename: (id: string) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const task of plan.planned_tasks) {
    const call = callOf(task, plan, rename);
    if (call !== undefined) counts.set(call, (counts.get(call) ?? 0) + 1);
  }
  return counts;
}

/** What a tool is called with, values of other tasks by their id; tasks that only wait for something are left out. */
function callOf(task: PlannerTask, plan: TaskData, rename: (id: string) => string): string | undefined {
  const { kind, uid } = resourcePin(task);
  if (kind !== "tool" || uid === undefined || task.dependencies.length > 0) return undefined;
  const references = collectReferences(task.arguments).map(({ reference, argument_path }) => [
    argument_path,
    rename(holderOf(reference.name, plan)[0] ?? reference.name),
    reference.path,
  ]);
  const literal = JSON.stringify(task.arguments, (_, value) =>
    typeof value === "string" && value.includes("${") ? value.replace(/\$\{[^}.[]*/g, "${") : value,
  );
  return JSON.stringify([uid, references, literal, task.parameters, task.convertor_code, task.instructions]);
}

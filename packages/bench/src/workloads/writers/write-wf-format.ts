import type { Workload } from "../workload.ts";

/** What the format allows in the id of a task. */
const ALLOWED = /^[0-9a-zA-Z_.#-]+$/;

/**
 * The workload in WfCommons' WfFormat, valid by the schemas of 1.5 and 1.6 alike but for the version that it names. An output is one file, of whole bytes; an id
 * that the format does not allow becomes `task-` and a number, and stays as the task's name. Tokens have no place in the format. Nothing was executed: the makespan is the
 * longest path, which is that on as many machines as there are tasks, and the date is that of 1970-01-01.
 */
export function workloadWfFormat({ name, view }: Workload, version: "1.5" | "1.6" = "1.5"): object {
  const taken = new Set(view.ids.filter((id) => ALLOWED.test(id)));
  const ids = view.ids.map((id, v) => {
    if (ALLOWED.test(id)) return id;
    let free = `task-${v}`;
    while (taken.has(free)) free += "-";
    taken.add(free);
    return free;
  });
  const endMs = new Float64Array(view.n);
  let makespanMs = 0;
  for (const v of view.topo) {
    let startMs = 0;
    for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
      startMs = Math.max(startMs, endMs[view.in[edge]!]!);
    }
    endMs[v] = startMs + view.work[v]!;
    makespanMs = Math.max(makespanMs, endMs[v]!);
  }
  const neighbours = (v: number, pointer: Int32Array, list: Int32Array) =>
    Array.from(list.subarray(pointer[v], pointer[v + 1]), (u) => ids[u]!);
  const fileOf = (id: string) => `${id}.out`;
  return {
    name: name === "" ? "workload" : name,
    description: "Written by Planloom; runtimes are those of the workload and nothing was executed.",
    createdAt: "1970-01-01T00:00:00Z",
    schemaVersion: version,
    workflow: {
      specification: {
        tasks: ids.map((id, v) => {
          const parents = neighbours(v, view.inPtr, view.in);
          return {
            name: view.ids[v]!,
            id,
            parents,
            children: neighbours(v, view.outPtr, view.out),
            inputFiles: parents.map(fileOf),
            outputFiles: [fileOf(id)],
          };
        }),
        files: ids.map((id, v) => ({ id: fileOf(id), sizeInBytes: Math.round(view.outBytes[v]!) })),
      },
      execution: {
        makespanInSeconds: makespanMs / 1000,
        executedAt: "1970-01-01T00:00:00Z",
        tasks: ids.map((id, v) => ({ id, runtimeInSeconds: view.work[v]! / 1000 })),
      },
    },
  };
}

import type { PageData, PageTask } from "@planloom/page";

/**
 * A run of `count` tasks in layers, half of it done, as the page is given it. The same for the same arguments.
 * @param perGroup tasks a subgraph; 0: tasks start one by one
 */
export function pageDataOf(count: number, perGroup = 0): PageData {
  const random = lehmer(7);
  const width = Math.max(1, Math.ceil(Math.sqrt(count) * 1.2));
  const from: number[] = [];
  const to: number[] = [];
  const began = Date.parse("2026-01-01T00:00:00Z");
  const tasks = Array.from({ length: count }, (_, task): PageTask => {
    const layer = Math.floor(task / width);
    const needs = new Set<number>();
    for (let edge = 0; layer > 0 && edge < 1 + random() * 2; edge += 1) {
      needs.add((layer - 1) * width + Math.floor(random() * width));
    }
    for (const need of needs) {
      from.push(need);
      to.push(task);
    }
    return {
      task_id: `t${task}`,
      title: `Task ${task} of the order book`,
      tool_id: "load",
      arguments: { part: task },
      dependencies: [...needs].map((need) => `t${need}`),
    };
  });
  const done = Math.floor(count / 2);
  return {
    format: "planloom-page/1",
    made_at: new Date(began).toISOString(),
    plan: {
      id: `plan-of-${count}`,
      title: `A plan of ${count} tasks`,
      notes: [],
      tasks,
      edges: { from, to },
      subgraphs:
        perGroup === 0
          ? []
          : Array.from({ length: Math.ceil(count / perGroup) }, (_, group) => ({
              id: `group ${group}`,
              task_ids: tasks.slice(group * perGroup, (group + 1) * perGroup).map(({ task_id }) => task_id),
            })),
    },
    run: {
      run_id: "run",
      status: "running",
      resumable: false,
      created_at: new Date(began).toISOString(),
      updated_at: new Date(began + 60_000).toISOString(),
      states: tasks.map(({ task_id }, at) => ({
        task_id,
        title: task_id,
        status: at < done ? "completed" : "pending",
        attempts: at < done ? 1 : 0,
        depends_on: [],
      })),
      records: tasks.slice(0, done).map(({ task_id }, at) => ({
        task_id,
        input_hash: "",
        status: "completed",
        uid: "load",
        attempts: 1,
        started_at: began + at,
        duration_ms: 20,
        output: { part: at },
      })),
      events: [],
      calls: [],
      calls_left_out: 0,
      waiting: [],
      answers: [],
      revisions: [],
    },
  };
}

function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

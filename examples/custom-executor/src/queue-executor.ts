import type { DatabaseSync } from "node:sqlite";
import { defineExecutor } from "planloom";
import { runPowers } from "planloom/runtime";

const sorts: ReadonlySet<string> = new Set(["print", "review"]);

/**
 * Work that others do, each when it suits them: `print` is a job of a queue, `review` a form that a person fills in. `jobs` looks into the
 * queue, and is done at once.
 */
export function queueExecutor(database: DatabaseSync) {
  database.exec("CREATE TABLE IF NOT EXISTS job (id TEXT PRIMARY KEY, what TEXT, for_whom TEXT)");
  const put = database.prepare("INSERT OR IGNORE INTO job VALUES (?, ?, ?)");
  const count = database.prepare("SELECT count(*) AS jobs FROM job WHERE for_whom = ?");
  const text = { type: "string" };
  const input_schema = { type: "object", properties: { text }, required: ["text"], additionalProperties: false };
  const resources = [
    { kind: "tool" as const, id: "print", description: "Print a text, on the printer's own time", input_schema },
    { kind: "tool" as const, id: "review", description: "Let a person review a text", input_schema },
    {
      kind: "tool" as const,
      id: "jobs",
      description: "How many jobs there have been of a sort: print or review",
      input_schema: { type: "object", properties: { for_whom: text }, required: ["for_whom"] },
      read_only: true,
    },
  ];
  return defineExecutor({
    kind: "tool",
    resources: () => resources,
    // Its effect is the job, which is put into the queue once, whatever happens.
    delegates: (id) => sorts.has(id),
    async execute({ uid, input_data }, context) {
      context.signal.throwIfAborted();
      const sort = uid === "jobs" ? String(input_data.for_whom) : uid;
      if (!sorts.has(sort)) throw new Error(`Expected work of the sorts print and review, got "${sort}".`);
      if (uid === "jobs") return { jobs: count.get(sort)?.jobs };
      const { checkpoint, wait } = runPowers(context);
      const id = await checkpoint("job", () => {
        put.run(context.idempotencyKey, String(input_data.text), uid);
        return context.idempotencyKey;
      });
      // No process need run until the signal comes. The next attempt of the task begins above, and gets this far at once.
      return wait("done", { event: "job-done", key: id, timeout_ms: 7 * 24 * 3_600_000 });
    },
  });
}

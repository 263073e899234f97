import { deepStrictEqual } from "node:assert";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Planloom, TaskData } from "planloom";
import { commandExecutor } from "./command-executor.ts";
import { sqlExecutor } from "./sql-executor.ts";

const folder = await mkdtemp(join(tmpdir(), "planloom-custom-"));
const database = new DatabaseSync(join(folder, "books.sqlite"));
try {
  database.exec("CREATE TABLE book (title TEXT, author TEXT, year INTEGER)");
  const insert = database.prepare("INSERT INTO book VALUES (?, ?, ?)");
  insert.run("Independent People", "Laxness", 1934);
  insert.run("The Fish Can Sing", "Laxness", 1957);
  insert.run("The Blue Fox", "Sjón", 2003);

  const text = { type: "string" };
  const queries = sqlExecutor(database, [
    {
      id: "books_by",
      description: "List books by an author",
      sql: "SELECT title, year FROM book WHERE author = :author ORDER BY year",
      input: { author: text },
      columns: { title: text, year: { type: "integer" } },
      readOnly: true,
    },
  ]);
  const commands = commandExecutor([
    {
      id: "shout",
      description: "Write a text in capitals",
      argv: [process.execPath, "-e", "process.stdout.write(process.argv[1].toUpperCase())", "{text}"],
      input: { text: "What to write" },
      readOnly: true,
    },
  ]);

  await using planloom = new Planloom({ executors: [queries, commands] });
  const plan = TaskData.parse({
    planned_tasks: [
      { task_id: "books", execution_type: "tool", tool_id: "books_by", arguments: { author: "Laxness" } },
      {
        task_id: "first",
        execution_type: "tool",
        tool_id: "shout",
        arguments: { text: "${books[0].title}; echo $HOME" },
      },
      { task_id: "last", execution_type: "tool", tool_id: "shout", arguments: { text: "${books[1].title}" } },
    ],
  });
  const { end_reason, output_data } = await planloom.run(plan);

  // The example asserts its own result. What a database says is one argument to a command, whatever stands in it.
  deepStrictEqual(end_reason, "completed");
  deepStrictEqual(output_data, {
    first: { stdout: "INDEPENDENT PEOPLE; ECHO $HOME" },
    last: { stdout: "THE FISH CAN SING" },
  });
  process.stdout.write(`${JSON.stringify(output_data, null, 2)}\n`);
} finally {
  database.close();
  await rm(folder, { recursive: true, force: true });
}

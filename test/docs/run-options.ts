/** Writes docs/run-options.md from the table of run options: `node test/docs/run-options.ts`. A test compares the two. */
import { writeFile } from "node:fs/promises";
import { type OptionRow, runOptionTable } from "@planloom/runtime";

const scopes: Readonly<Record<OptionRow["instance"], string>> = {
  "each run": "each run",
  "each session": "each run, and again at each resumption",
  "all runs": "all runs together",
  no: "",
};

const head = `# Options of a run

Every option of \`run\`, one a row, as the program has them (\`packages/runtime/src/options/run-option-table.ts\`, from which checks, defaults, the journal's
fields, what workers are sent and this page derive). The doc comments of \`RunOptions\` say each in full; an editor shows them.

- **default**: what holds where the option is left out; ∞ is no limit.
- **kept**: the field of the journal's options from which a resumption takes it, unless it is given then. What is not kept is given again.
- **of a \`Planloom\`**: it can be set there for all runs; a call's own option goes before it, and limits of all runs can only be narrowed.
- **stricter**: of a resumed run, the stricter of what it was begun with and what the \`Planloom\` says holds.
- **workers**: it goes to the processes that execute subgraphs.

| option | what it is | default | kept | of a \`Planloom\` | stricter | workers | a task's own | command line |
|---|---|---|---|---|---|---|---|---|
`;

export function runOptionsPage(): string {
  const rows = Object.entries(runOptionTable as Readonly<Record<string, OptionRow>>).map(([name, row]) => {
    const kept = row.stored ?? row.storedAs;
    const cells = [
      `\`${name}\``,
      row.doc,
      defaultOf(row),
      kept === undefined ? "" : kept.replaceAll(/\w+/g, "`$&`"),
      scopes[row.instance],
      row.stricter === undefined ? "" : "yes",
      row.worker === undefined ? "" : "yes",
      row.task === undefined ? "" : `\`${row.task}\``,
      row.flag === undefined ? "" : `\`${row.flag.name.split(" ")[0]}\``,
    ];
    return `| ${cells.join(" | ")} |`.replaceAll(/ {2,}/g, " ");
  });
  return `${head}${rows.join("\n")}\n`;
}

function defaultOf({ default: value, defaultText }: OptionRow): string {
  if (value === undefined) return defaultText ?? "";
  if (value === Number.POSITIVE_INFINITY) return "∞";
  return typeof value === "number" ? value.toLocaleString("en-US") : JSON.stringify(value);
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(new URL("../../docs/run-options.md", import.meta.url), runOptionsPage());
}

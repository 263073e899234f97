import { parseArgs } from "node:util";
import { type Compared, measureRelations } from "./relations/measure-relations.ts";
import { readRelatedGoals } from "./relations/related-goals.ts";
import type { Change, PlannedCall } from "./relations/relation.ts";

/**
 * Which plans change though nothing changed that says something: two requests in one goal, unrelated tools, other names of the same
 * words, schemas that mean the same, other values of the same shape, other writing, other persons. What is right is never asked for.
 *
 * `pnpm bench:wild --relations --data FOLDER [--data FOLDER …] [--only FORM,…] [--each 60] [--show 5] [--json]`. A folder holds
 * `goals.json` and `catalogues.json`, or benchmarks, of which `--each` goals of the development split are taken. `--only` takes forms
 * that begin so; `--show` lists that many changed plans of each form.
 */
export async function reportRelations(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      relations: { type: "boolean" },
      data: { type: "string", multiple: true },
      only: { type: "string" },
      each: { type: "string", default: "60" },
      show: { type: "string", default: "0" },
      json: { type: "boolean", default: false },
    },
  });
  const goals = (
    await Promise.all((options.data ?? []).map((folder) => readRelatedGoals(folder, Number(options.each))))
  ).flat();
  const wanted = options.only?.split(",");
  const compared = new Map<string, Compared[]>();
  for (const each of measureRelations(goals, (form) => wanted?.some((start) => form.startsWith(start)) ?? true))
    compared.set(each.form, [...(compared.get(each.form) ?? []), each]);
  const rows = [...compared].sort(([left], [right]) => order(left) - order(right));
  if (options.json)
    process.stdout.write(`${JSON.stringify(rows.flatMap(([, all]) => all.map(({ tools: _, ...each }) => each)))}\n`);
  else
    process.stdout.write(
      `${[...table(rows), "", ...rows.flatMap(([, all]) => shown(all, Number(options.show)))].join("\n")}\n`,
    );
}

const groups = ["composition", "distractors", "names", "schemas", "values", "writing", "person"];
const order = (form: string) => groups.indexOf(form.slice(0, form.indexOf(":")));
const changes: readonly Change[] = ["lost call", "added call", "other tool", "other argument"];

function table(rows: readonly (readonly [form: string, all: readonly Compared[]])[]): string[] {
  const cells = (name: string, all: readonly Compared[]) => {
    const changed = all.filter(({ change }) => change !== "none");
    const counts = changes.map((kind) => changed.filter(({ change }) => change === kind).length);
    return `| ${[name, all.length, changed.length, `${((100 * changed.length) / Math.max(1, all.length)).toFixed(1)} %`, ...counts].join(" | ")} |`;
  };
  const totals = groups.flatMap((group) => {
    const all = rows.flatMap(([form, each]) => (form.startsWith(`${group}:`) ? each : []));
    return all.length === 0 ? [] : [cells(`**${group}**`, all)];
  });
  return [
    `| relation | plans compared | changed | share | ${changes.join(" | ")} |`,
    `|---|---|---|---|${changes.map(() => "---|").join("")}`,
    ...rows.map(([form, all]) => cells(form, all)),
    ...totals,
    cells(
      "**all**",
      rows.flatMap(([, all]) => all),
    ),
  ];
}

function shown(all: readonly Compared[], most: number): string[] {
  const write = (calls: readonly PlannedCall[]) =>
    calls.map(({ tool, args }) => `${tool}${JSON.stringify(args)}`).join(" ; ");
  return all
    .filter(({ change }) => change !== "none")
    .slice(0, most)
    .map(
      (each) =>
        `### ${each.form} [${each.change}] ${each.id}\n${each.before}\n→ ${each.query}\n  expected: ${write(each.calls)}\n  planned:  ${write(each.planned)}\n`,
    );
}

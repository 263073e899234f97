import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { findSavedPlan, planStore } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { knownIds } from "../known-ids.ts";
import { didYouMean } from "../suggestion.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { findRun, withJournal } from "./recorded-runs.ts";

interface Deleted {
  readonly kind: "plan" | "run";
  readonly id: string;
}

/** `planloom delete`: saved plans and recorded runs, by id or unique prefix. All names are looked up before anything is deleted. */
export async function remove(names: readonly string[], options: { json?: boolean }, io: CliIo): Promise<number> {
  const found: Deleted[] = [];
  for (const name of names) found.push(await find(name, io));
  for (const { kind, id } of found) {
    if (kind === "plan") await (await planStore(io)).delete(id);
    else await withJournal(io, (journal) => journal.deleteRun(id));
  }
  if (options.json === true) {
    writeJson(io, { deleted: found });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  for (const { kind, id } of found) io.stdout.write(`${style.paint("bold", plainLine(id))}  ${kind} deleted\n`);
  return ExitCode.DONE;
}

async function find(name: string, io: CliIo): Promise<Deleted> {
  const [plan, run] = [await findSavedPlan(io, name), await findRun(name, io)];
  const candidates: Deleted[] = [
    ...(plan === undefined ? [] : [{ kind: "plan" as const, id: plan.id }]),
    ...(run === undefined ? [] : [{ kind: "run" as const, id: run.run_id }]),
  ];
  const exact = candidates.filter(({ id }) => id === name);
  const [only] = exact.length === 1 ? exact : candidates;
  if (only !== undefined && (exact.length === 1 || candidates.length === 1)) return only;
  if (only === undefined) {
    const known = await knownIds(["plans", "runs"], io);
    const meant = await didYouMean(
      name,
      known.map(({ id }) => id),
    );
    throw new CliError(CliErrorCode.NOT_FOUND, `No saved plan and no run called ${JSON.stringify(name)}.${meant}`, {
      hint: `${commandName(io)} list shows the saved plans and the runs.`,
      details: { name },
    });
  }
  const ids = candidates.map(({ id }) => id);
  throw new CliError(CliErrorCode.AMBIGUOUS, `"${name}" fits a plan and a run: ${ids.join(", ")}.`, {
    hint: "Give more characters of the id.",
    details: { candidates: ids },
  });
}

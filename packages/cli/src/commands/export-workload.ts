import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, jsonText, writeJson } from "../io.ts";
import { count, plainLine } from "../terminal/style.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

export interface ExportOptions {
  readonly limit: number;
  readonly names?: boolean;
  readonly out?: string;
  readonly json?: boolean;
}

/**
 * `planloom journal export --workload`: recorded runs as workloads for `planloom bench`, without what they were about.
 * @throws CliError NOT_FOUND where no run can be written; USAGE for a file that cannot be written
 */
export async function exportWorkload(
  names: readonly string[],
  { limit, names: keepsNames = false, out, json = false }: ExportOptions,
  io: CliIo,
): Promise<number> {
  const { recordedWorkload } = await import("planloom/runtime");
  const runs: string[] = [];
  for (const name of names) runs.push((await requireRun(name, io)).run_id);
  const found = await withJournal(io, (journal) =>
    recordedWorkload(journal, { runs: runs.length > 0 ? runs : limit, names: keepsNames, signal: io.signal }),
  );
  const { workload, passedOver } = found ?? { workload: undefined, passedOver: 0 };
  if (workload === undefined || workload.instances.length === 0) {
    throw new CliError(CliErrorCode.NOT_FOUND, "No completed run to write as a workload.", {
      hint: `${commandName(io)} list shows the runs; only those that completed say how long their tasks take.`,
      details: { passed_over: passedOver },
    });
  }
  const note = passedOver === 0 ? "" : `${count(passedOver, "run")} that did not complete left out`;
  if (out === undefined) {
    io.stdout.write(jsonText(workload));
    if (note !== "" && !json) io.stderr.write(`note  ${note}\n`);
    return ExitCode.DONE;
  }
  const file = resolve(io.cwd, out);
  try {
    await writeFile(file, jsonText(workload), { signal: io.signal });
  } catch (cause) {
    if (io.signal.aborted) throw cause;
    throw new CliError(CliErrorCode.USAGE, `Cannot write ${file}: ${(cause as Error).message}`, {
      details: { option: "--out", file },
      cause,
    });
  }
  const written = workload.instances.length;
  if (json) writeJson(io, { file, runs: written, passed_over: passedOver });
  else {
    io.stdout.write(`${plainLine(file)}: ${count(written, "run")}${note === "" ? "" : `, ${note}`}\n`);
    io.stdout.write(`${commandName(io)} bench ${plainLine(out)} measures on them.\n`);
  }
  return ExitCode.DONE;
}

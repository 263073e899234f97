import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { plainLine } from "../terminal/style.ts";
import { changeTrust, listTrusted } from "../trust.ts";

export interface TrustCommandOptions {
  readonly remove?: boolean;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** `planloom trust`: configurations and servers of a folder are used without being named; `--remove` takes that back. */
export async function trust(folder: string | undefined, options: TrustCommandOptions, io: CliIo): Promise<number> {
  if (options.list === true) {
    const folders = await listTrusted(io);
    if (options.json === true) writeJson(io, { folders });
    else io.stdout.write(folders.length === 0 ? "No folder is trusted.\n" : `${folders.map(plainLine).join("\n")}\n`);
    return ExitCode.DONE;
  }
  const path = resolve(io.cwd, folder ?? ".");
  const trusted = options.remove !== true;
  const isFolder = await stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
  if (trusted && !isFolder) {
    throw new CliError(CliErrorCode.NOT_FOUND, `No folder ${path}.`, { details: { name: path } });
  }
  const written = await changeTrust(path, trusted, io);
  if (options.json === true) writeJson(io, { folder: written, trusted });
  else io.stdout.write(`${plainLine(written)} is ${trusted ? "trusted" : "no longer trusted"}.\n`);
  return ExitCode.DONE;
}

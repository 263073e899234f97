import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Model } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import { planloomHome } from "./home.ts";
import type { CliIo } from "./io.ts";

/** Models in this process: an optional peer, loaded when one is named. */
export type LocalModels = typeof import("@planloom/local");

/** What the command line says of how a model is asked. */
export interface LocalSettings {
  readonly timeoutMs?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
}

/** What begins the name of a model of this machine: `local:NAME`, or `local:` and a file. */
export const localPrefix = "local:";

/** Weights that were pulled; the folder is made with the first. */
export const modelsFolder = (io: CliIo): string => join(planloomHome(io), "models");

/** @throws CliError CONFIG where the package is not installed; the message says in one line what to install */
export async function loadLocalModels(): Promise<LocalModels> {
  try {
    return await import("@planloom/local");
  } catch (cause) {
    const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing) throw cause;
    throw new CliError(
      CliErrorCode.CONFIG,
      "Models in this process need the package @planloom/local, which is not installed: npm install @planloom/local node-llama-cpp",
      { cause },
    );
  }
}

/** The model of `--model local:…`. @throws CliError CONFIG; LocalError WEIGHTS where there is no such file */
export async function namedLocalModel(name: string, settings: LocalSettings, io: CliIo): Promise<Model> {
  const { findModel, localModel } = await loadLocalModels();
  const found = await findModel(modelsFolder(io), name.slice(localPrefix.length), io.cwd);
  return localModel({ path: found.file, name: found.name, ...settings });
}

/** The model that `planloom model use` chose; `undefined` where it chose none. */
export async function localModelInUse(settings: LocalSettings, io: CliIo): Promise<Model | undefined> {
  // Without one, the package need not be there.
  const chosen = await readFile(join(modelsFolder(io), "in-use.json"), "utf8").catch(() => undefined);
  if (chosen === undefined) return undefined;
  const { localModel, modelInUse } = await loadLocalModels();
  const found = await modelInUse(modelsFolder(io));
  return found && localModel({ path: found.file, name: found.name, ...settings });
}

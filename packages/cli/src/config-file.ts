import { access } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { PlanloomConfig } from "planloom";
import { commandName } from "./command-name.ts";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";
import { isTrusted } from "./trust.ts";

const CONFIG_NAMES = ["planloom.config.ts", "planloom.config.mts", "planloom.config.js", "planloom.config.mjs"];

export interface LoadedConfig {
  readonly config: PlanloomConfig;
  /** Where its relative paths start. */
  readonly folder: string;
}

async function checkNames(config: PlanloomConfig, file: string): Promise<void> {
  const { defineConfig } = await import("planloom/planning");
  try {
    defineConfig(config);
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `${file}: ${(cause as Error).message}`, { details: { file }, cause });
  }
  if (config.modelOptions === undefined) return;
  const { openaiModel } = await import("planloom/planning");
  try {
    // Its name and key may come from elsewhere, and are judged where a model is asked.
    openaiModel({ ...config.modelOptions, model: "any", apiKey: "any" });
  } catch (cause) {
    const message = (cause as Error).message.replace("`openaiModel`", "`modelOptions`");
    throw new CliError(CliErrorCode.CONFIG, `${file}, \`modelOptions\`: ${message}`, { details: { file }, cause });
  }
}

/** The file of the named configuration, else of the one in the current folder; `undefined` where there is none. */
export async function findConfig(name: string | false | undefined, io: CliIo): Promise<string | undefined> {
  if (name === false) return undefined;
  for (const candidate of name === undefined ? CONFIG_NAMES : [name]) {
    const file = resolve(io.cwd, candidate);
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) return file;
    if (name === undefined) continue;
    throw new CliError(CliErrorCode.CONFIG, `No configuration file ${file}.`, { details: { file } });
  }
  return undefined;
}

/**
 * What `findConfig` finds, else an empty one. It is code: a file that is named is executed, one that is found only in a folder that is trusted.
 * @param name `false` for none
 * @throws CliError CONFIG, UNTRUSTED
 */
export async function loadConfig(name: string | false | undefined, io: CliIo): Promise<LoadedConfig> {
  const file = await findConfig(name, io);
  if (file === undefined) return { config: {}, folder: io.cwd };
  if (name === undefined && !(await isTrusted(file, io))) {
    const command = commandName(io);
    throw new CliError(CliErrorCode.UNTRUSTED, `${file} is code, and its folder is not trusted.`, {
      hint: `Look at it, then allow it: ${command} trust, or --config ${basename(file)} for this once. --no-config goes without it.`,
      details: { file },
    });
  }
  try {
    const module = (await import(pathToFileURL(file).href)) as { default?: PlanloomConfig };
    if (module.default === undefined || typeof module.default !== "object") {
      throw new CliError(CliErrorCode.CONFIG, `${file} has no default export.`, {
        hint: 'Write: import { defineConfig } from "planloom"; export default defineConfig({ … });',
      });
    }
    await checkNames(module.default, file);
    return { config: module.default, folder: dirname(file) };
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(CliErrorCode.CONFIG, `${file} cannot be loaded: ${(cause as Error).message}`, {
      details: { file },
      cause,
    });
  }
}

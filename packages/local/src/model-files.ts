import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { isRecord } from "@planloom/plan";
import { LocalError, LocalErrorCode } from "./errors.ts";
import { checkWeights } from "./weights.ts";

/** Weights on this disk. */
export interface ModelFile {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
  /** Where they were downloaded from; absent for a file that was put there. */
  readonly url?: string;
  /** As it was verified after the download. */
  readonly sha256?: string;
}

/** The model that is used where nothing names one. */
export interface ModelInUse {
  readonly name: string;
  readonly file: string;
}

const inUseFile = "in-use.json";
const ending = ".gguf";

/** The models of a folder, by name; none where there is no folder. */
export async function listModels(folder: string): Promise<ModelFile[]> {
  const names = await readdir(folder).catch(() => []);
  const files = names.filter((name) => name.endsWith(ending) && !name.startsWith(".")).sort();
  return Promise.all(files.map((name) => describe(join(folder, name))));
}

async function describe(file: string): Promise<ModelFile> {
  const { size: bytes } = await stat(file);
  const { url, sha256 } = await readRecord(`${file.slice(0, -ending.length)}.json`);
  return {
    name: basename(file, ending),
    file,
    bytes,
    ...(typeof url === "string" && { url }),
    ...(typeof sha256 === "string" && { sha256 }),
  };
}

/** The file of a model: one of the folder by its name, or any by its path. @throws LocalError WEIGHTS, with the names that there are */
export async function findModel(folder: string, nameOrFile: string, cwd = process.cwd()): Promise<ModelInUse> {
  const models = await listModels(folder);
  const named = models.find(({ name }) => name === nameOrFile);
  if (named !== undefined) return { name: named.name, file: named.file };
  if (!/[/\\]|\.gguf$/i.test(nameOrFile)) {
    const known = models.length === 0 ? "There is none yet" : `There are: ${models.map(({ name }) => name).join(", ")}`;
    const message = `There is no model ${JSON.stringify(nameOrFile)} in ${folder}. ${known}. A file is named by its path.`;
    throw new LocalError(LocalErrorCode.WEIGHTS, message, { details: { file: nameOrFile } });
  }
  const file = isAbsolute(nameOrFile) ? nameOrFile : join(cwd, nameOrFile);
  checkWeights(file);
  return { name: basename(file).replace(/\.gguf$/i, ""), file };
}

/** Says which model is used where nothing names one; `undefined` for none. */
export async function useModel(folder: string, model: ModelInUse | undefined): Promise<void> {
  const place = join(folder, inUseFile);
  if (model === undefined) {
    await rm(place, { force: true });
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = `${place}.${randomUUID()}.part`;
  await writeFile(part, `${JSON.stringify({ name: model.name, file: model.file }, null, 2)}\n`, { mode: 0o600 });
  await rename(part, place);
}

export async function modelInUse(folder: string): Promise<ModelInUse | undefined> {
  const { name, file } = await readRecord(join(folder, inUseFile));
  return typeof name === "string" && typeof file === "string" ? { name, file } : undefined;
}

/** The fields of a file of ours; none where it is missing or broken. */
export async function readRecord(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

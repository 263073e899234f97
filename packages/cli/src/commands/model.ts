import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { loadLocalModels, localPrefix, modelsFolder } from "../local-models.ts";
import { plainLine, styleFor } from "../terminal/style.ts";

export interface PullCommandOptions {
  readonly sha256?: string;
  readonly name?: string;
  readonly json?: boolean;
}

/** `planloom model pull URL`: downloads weights, verified. */
export async function pull(url: string, options: PullCommandOptions, io: CliIo): Promise<number> {
  const { pullModel } = await loadLocalModels();
  const { sha256, name, json = false } = options;
  const model = await pullModel({
    url,
    folder: modelsFolder(io),
    signal: io.signal,
    ...(sha256 !== undefined && { sha256 }),
    ...(name !== undefined && { name }),
    ...(!json &&
      io.stderr.isTTY === true && {
        onProgress: ({ bytes, total }) =>
          io.stderr.write(`\r${size(bytes)}${total === undefined ? "" : ` of ${size(total)}`} `),
      }),
  });
  if (json) writeJson(io, model);
  else {
    io.stdout.write(`${model.name}  ${size(model.bytes)}  sha256 ${model.sha256 ?? ""}\n`);
    io.stdout.write(`Use it: planloom model use ${model.name}, or --model ${localPrefix}${model.name}\n`);
  }
  return ExitCode.DONE;
}

/** `planloom model list`: the weights in the folder of models. */
export async function list(options: { readonly json?: boolean }, io: CliIo): Promise<number> {
  const { listModels, modelInUse } = await loadLocalModels();
  const [models, inUse] = await Promise.all([listModels(modelsFolder(io)), modelInUse(modelsFolder(io))]);
  if (options.json === true) {
    writeJson(io, { models, ...(inUse && { in_use: inUse }) });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  for (const { name, file, bytes } of models) {
    const mark = inUse?.file === file ? "  in use" : "";
    io.stdout.write(`${style.paint("bold", plainLine(name))}  ${size(bytes)}  ${plainLine(file)}${mark}\n`);
  }
  if (inUse !== undefined && !models.some(({ file }) => file === inUse.file)) {
    io.stdout.write(`${style.paint("bold", plainLine(inUse.name))}  ${plainLine(inUse.file)}  in use\n`);
  }
  if (models.length === 0) {
    io.stdout.write(
      `There is no model in ${modelsFolder(io)}: planloom model pull URL, or planloom model use FILE.gguf\n`,
    );
  }
  return ExitCode.DONE;
}

/** `planloom model use NAME`: what plans and answers where nothing names a model. */
export async function use(
  name: string | undefined,
  { none = false, json = false }: { readonly none?: boolean; readonly json?: boolean },
  io: CliIo,
): Promise<number> {
  if ((name === undefined) !== none) {
    throw new CliError(CliErrorCode.USAGE, "Expected the name of a model, a file, or --none.", {
      hint: "planloom model list shows the names.",
    });
  }
  const { findModel, useModel } = await loadLocalModels();
  const model = name === undefined ? undefined : await findModel(modelsFolder(io), withoutPrefix(name), io.cwd);
  await useModel(modelsFolder(io), model);
  if (json) writeJson(io, { in_use: model ?? null });
  else if (model === undefined) io.stdout.write("No model of this machine is used any more.\n");
  else io.stdout.write(`${model.name} plans and answers where nothing else names a model: ${plainLine(model.file)}\n`);
  return ExitCode.DONE;
}

function withoutPrefix(name: string): string {
  return name.startsWith(localPrefix) ? name.slice(localPrefix.length) : name;
}

function size(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000)} kB`
    : `${Math.round(bytes / 1_000_000).toLocaleString("en")} MB`;
}

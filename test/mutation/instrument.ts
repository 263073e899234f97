import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** One change of a source. */
export interface Mutant {
  readonly id: string;
  readonly fileName: string;
  readonly mutatorName: string;
  readonly original: string;
  readonly replacement: string;
  /** Lines and columns from 0. */
  readonly location: Record<"start" | "end", { readonly line: number; readonly column: number }>;
  readonly status?: string;
}

export interface Instrumented {
  readonly mutants: readonly Mutant[];
  /** The sources with all changes in them, each behind a switch, by path. */
  readonly sources: Readonly<Record<string, string>>;
}

interface Instrumenter {
  instrument(
    files: readonly { name: string; mutate: true; content: string }[],
    options: object,
  ): Promise<{ files: readonly { name: string; content: string }[]; mutants: readonly Omit<Mutant, "original">[] }>;
}

const version = "10.1.1";

/** Puts all changes that Stryker makes into the sources at `paths`. @throws where its instrumenter cannot be installed */
export async function instrument(repository: string, paths: readonly string[]): Promise<Instrumented> {
  const tools = join(tmpdir(), `planloom-mutation-tools-${version}`);
  const name = "@stryker-mutator/instrumenter";
  if (!existsSync(join(tools, "node_modules", name))) {
    const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", tools, `${name}@${version}`];
    if (spawnSync("npm", install, { stdio: "inherit" }).status !== 0)
      throw new Error(`${name} could not be installed.`);
  }
  const entry = createRequire(join(tools, "package.json")).resolve(name);
  const { Instrumenter } = (await import(pathToFileURL(entry).href)) as {
    Instrumenter: new (logger: object) => Instrumenter;
  };
  const quiet = () => false;
  const logger = new Proxy({}, { get: () => quiet });
  const files = paths.map((path) => ({
    name: join(repository, path),
    mutate: true as const,
    content: readFileSync(join(repository, path), "utf8"),
  }));
  const contents = new Map(files.map(({ name: path, content }) => [path, content]));
  const result = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    excludedMutations: [],
    ignorers: [],
    noHeader: false,
  });
  return {
    mutants: result.mutants
      .filter(({ status }) => status !== "Ignored")
      .map((mutant) => ({ ...mutant, original: textAt(contents.get(mutant.fileName) ?? "", mutant.location) })),
    sources: Object.fromEntries(result.files.map(({ name: path, content }) => [path, content])),
  };
}

function textAt(content: string, { start, end }: Mutant["location"]): string {
  const lines = content.split("\n").slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1)!.slice(0, end.column);
  lines[0] = lines[0]!.slice(start.column);
  return lines.join("\n");
}

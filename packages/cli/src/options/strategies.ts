import { access } from "node:fs/promises";
import { registerHooks } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { RuleStrategy } from "planloom/optimizer";
import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { stoppable } from "./stoppable-strategy.ts";

/**
 * The strategies of a comma-separated list: names of built-in ones, or modules (`./mine.ts`) that export strategies of your
 * own, which are executed.
 * @param more further ones that are known by name
 * @throws CliError USAGE for an unknown name, CONFIG for a module without strategies
 */
export async function readStrategies(
  text: string,
  io: CliIo,
  more: ReadonlyMap<string, RuleStrategy> = new Map(),
): Promise<RuleStrategy[]> {
  const { strategies } = await import("planloom/optimizer");
  const known = new Map([...strategies, ...more]);
  const read: RuleStrategy[] = [];
  for (const name of text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "")) {
    const builtIn = known.get(name);
    if (builtIn !== undefined) read.push(builtIn);
    else if (/\.[cm]?[jt]s$/.test(name)) read.push(...(await fromModule(resolve(io.cwd, name))));
    else throw unknown(name, [...known.keys()]);
  }
  const names = read.map((strategy) => strategy.name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new CliError(CliErrorCode.USAGE, `Two strategies are called ${JSON.stringify(twice)}.`, {
      hint: "Rows and reports go by the name: give your own another one.",
      details: { option: "--strategy" },
    });
  }
  if (read.length === 0) throw unknown(text, [...known.keys()]);
  return read;
}

function unknown(name: string, known: readonly string[]): CliError {
  return new CliError(
    CliErrorCode.USAGE,
    `Unknown strategy ${JSON.stringify(name)}.\nThe strategies are ${known.join(", ")}.`,
    {
      hint: "One of your own: --strategy ./mine.ts, a module that exports it. See docs/optimizer/strategies.md.",
      details: { option: "--strategy", known },
    },
  );
}

async function fromModule(file: string): Promise<RuleStrategy[]> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (!exists) throw new CliError(CliErrorCode.NOT_FOUND, `No strategy module ${file}.`, { details: { file } });
  let exported: unknown[];
  resolveOwnPackages();
  try {
    exported = Object.values((await import(pathToFileURL(file).href)) as Record<string, unknown>).flat();
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `${file} cannot be loaded: ${(cause as Error).message}`, {
      details: { file },
      cause,
    });
  }
  const found = [...new Set(exported)].filter(isStrategy);
  if (found.length > 0) return found.map((each) => stoppable(each));
  const nearest = exported.map(faultsOf).toSorted((a, b) => a.length - b.length)[0];
  const came =
    nearest === undefined
      ? "it exports nothing"
      : nearest.length === Object.keys(strategyFields).length
        ? "what it exports has none of that"
        : `expected ${nearest.join(", ")}`;
  throw new CliError(CliErrorCode.CONFIG, `${file} exports no strategy: ${came}.`, {
    hint: "A strategy is an object with name, version, description, deterministic and propose(view, environment, options).",
    details: { file },
  });
}

let resolving = false;

/** A module that is not in a project with Planloom imports it from here: the packages are then those that run it. */
function resolveOwnPackages(): void {
  if (resolving) return;
  resolving = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!/^(@planloom\/|planloom($|\/))/.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

const isName = (value: unknown) => typeof value === "string" && value !== "";

/** What a strategy must have, each with what goes after "expected `name` to be". */
const strategyFields = {
  name: ["a text that is not empty", isName],
  version: ["a text that is not empty", isName],
  description: ["a text that is not empty", isName],
  deterministic: ["true or false", (value: unknown) => typeof value === "boolean"],
  propose: ["a function", (value: unknown) => typeof value === "function"],
} as const satisfies Partial<Record<keyof RuleStrategy, readonly [string, (value: unknown) => boolean]>>;

/** What a value lacks to be a strategy: "`version` to be a text that is not empty, got nothing". */
function faultsOf(value: unknown): string[] {
  const fields = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return Object.entries(strategyFields).flatMap(([field, [expected, fits]]) => {
    const got = fields[field];
    return fits(got) ? [] : [`\`${field}\` to be ${expected}, got ${(JSON.stringify(got) ?? "nothing").slice(0, 60)}`];
  });
}

function isStrategy(value: unknown): value is RuleStrategy {
  return faultsOf(value).length === 0;
}

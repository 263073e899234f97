import { resolve } from "node:path";
import type { EnvironmentInput } from "planloom/optimizer";
import { z } from "zod";
import { CliError, CliErrorCode } from "../errors.ts";
import type { CliIo } from "../io.ts";
import { readText } from "../read-text.ts";

/** An environment file is larger than this only by mistake. */
const MAX_BYTES = 1024 * 1024;

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 };
const amount = z.number().or(z.string());

/** A count, or one of the words for "as many as you like". */
const count = amount.transform((value, context) => {
  if (["unlimited", "inf", "infinity"].includes(String(value).toLowerCase())) return Number.POSITIVE_INFINITY;
  return numberOf(value, "a number or unlimited", context);
});
const number = amount.transform((value, context) => numberOf(value, "a number", context));
const milliseconds = amount.transform((value, context) =>
  timeOf(value, "milliseconds, or a time such as 500ms or 2s", context),
);
/** A time, or so many mean task estimates. */
const overhead = amount.transform((value, context) => {
  const [, factor] = /^([\d.]+)x$/.exec(String(value)) ?? [];
  if (factor !== undefined) return { overheadFactor: numberOf(factor, "a factor such as 1x", context) };
  const expected = "milliseconds, a time such as 2s, or mean task estimates such as 1x";
  return { overheadMs: timeOf(value, expected, context) };
});

/** `4/1s`, or what the file has for it. */
const dispatchRate = z
  .object({ limit: number, intervalMs: milliseconds })
  .strict()
  .or(
    z.string().transform((value, context) => {
      const [, limit = "", interval = ""] = /^(\d+)\/(.+)$/.exec(value.trim()) ?? [];
      const expected = "so many dispatches in a time, such as 4/1s";
      if (limit !== "") return { limit: Number(limit), intervalMs: timeOf(interval, expected, context) };
      context.addIssue({ code: "custom", message: `expected ${expected}, got ${JSON.stringify(value)}` });
      return z.NEVER;
    }),
  );

function timeOf(value: string | number, expected: string, context: z.RefinementCtx): number {
  const [, digits = "", unit = "ms"] = /^([\d.]+)\s*(ms|s|min)$/.exec(String(value)) ?? ["", String(value)];
  return numberOf(digits, expected, context) * UNITS[unit]!;
}

function numberOf(value: string | number, expected: string, context: z.RefinementCtx): number {
  const read = typeof value === "number" ? value : value.trim() === "" ? Number.NaN : Number(value);
  if (Number.isFinite(read)) return read;
  context.addIssue({ code: "custom", message: `expected ${expected}, got ${JSON.stringify(value)}` });
  return 0;
}

/** What may be said of the executors as a whole, and of one class of them. */
const limits = {
  overhead: overhead.optional(),
  overheadMs: milliseconds.optional(),
  slots: count.optional(),
  baseTokens: number.optional(),
  contextTokens: count.optional(),
  memoryBytes: count.optional(),
  prices: z
    .strictObject({
      perDispatch: number.optional(),
      perMillionTokens: number.optional(),
      perExecutorHour: number.optional(),
    })
    .optional(),
};
const ExecutorClass = z.strictObject({
  ...limits,
  /** A time: how long a mean task is, no class knows. */
  overhead: milliseconds.optional(),
  name: z.string(),
  count,
  speed: number.optional(),
  serves: z.array(z.number()).optional(),
});
const Environment = z.strictObject({
  ...limits,
  executors: count.optional(),
  semantics: z.enum(["atomic", "pipelined", "streaming"]).optional(),
  overheadFactor: number.optional(),
  maxTasks: count.optional(),
  dispatchRate: dispatchRate.optional(),
  affinity: z.enum(["none", "soft", "hard"]).optional(),
  affinityPenaltyMs: milliseconds.optional(),
  taskOverheadMs: milliseconds.optional(),
  latencyMs: milliseconds.optional(),
  bytesPerMs: count.optional(),
  rates: z.array(z.array(count)).optional(),
  ccr: number.optional(),
  classes: z
    .array(ExecutorClass)
    .transform((classes) =>
      classes.map(({ overhead: overheadMs, ...own }) => ({ ...(overheadMs !== undefined && { overheadMs }), ...own })),
    )
    .optional(),
});

/** What `--env` knows. */
const environmentFields = Object.keys(Environment.shape);
const classFields = Object.keys(ExecutorClass.shape);

const EXAMPLE = "--env executors=8,overhead=2s,contextTokens=8000";

/**
 * The environment that `--env` describes: pairs such as `executors=8,overhead=1x`, or a file in YAML or JSON with the same
 * names. Values out of range are refused by the optimizer.
 * @throws CliError USAGE for malformed pairs, CONFIG for a file that cannot be read as an environment
 */
export async function readEnvironment(text: string, io: CliIo): Promise<EnvironmentInput> {
  const inline = text.includes("=");
  const value = inline ? pairs(text) : await fromFile(resolve(io.cwd, text), io);
  const read = Environment.safeParse(value);
  if (!read.success) {
    const [issue] = read.error.issues;
    const source = inline ? "--env" : resolve(io.cwd, text);
    throw new CliError(inline ? CliErrorCode.USAGE : CliErrorCode.CONFIG, `${source}: ${explained(issue!)}.`, {
      ...(inline && { hint: `For example: ${EXAMPLE}` }),
      details: { option: "--env", path: issue!.path },
    });
  }
  const { overhead: named, ...rest } = read.data;
  const given = Object.entries({ ...rest, ...named }).filter(([, field]) => field !== undefined);
  return Object.fromEntries(given) as EnvironmentInput;
}

function explained(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") {
    const known = issue.path[0] === "classes" ? classFields : environmentFields;
    const place = issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
    return `${place}nothing is called ${issue.keys.map((key) => JSON.stringify(key)).join(", ")}; there is ${known.join(", ")}`;
  }
  const field = issue.path.join(".");
  const message = issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  return field === "" ? message : `${field}: ${message}`;
}

function pairs(text: string): Record<string, string> {
  const read = new Map<string, string>();
  for (const pair of text.split(",")) {
    const at = pair.indexOf("=");
    const name = pair.slice(0, at).trim();
    if (at < 1 || name === "") {
      throw new CliError(CliErrorCode.USAGE, `--env: expected name=value, got ${JSON.stringify(pair)}.`, {
        hint: `For example: ${EXAMPLE}`,
        details: { option: "--env" },
      });
    }
    if (read.has(name)) {
      throw new CliError(CliErrorCode.USAGE, `--env: ${name} is given twice.`, { details: { option: "--env" } });
    }
    read.set(name, pair.slice(at + 1).trim());
  }
  return Object.fromEntries(read);
}

async function fromFile(file: string, io: CliIo): Promise<unknown> {
  let text: string;
  try {
    text = await readText(file, "an environment", MAX_BYTES, io);
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError(CliErrorCode.CONFIG, `No environment file ${file}: ${(cause as Error).message}.`, {
      hint: `A file in YAML or JSON, or pairs: ${EXAMPLE}`,
      details: { option: "--env", file },
      cause,
    });
  }
  const { parse } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100 });
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, `${file} cannot be read as YAML or JSON: ${(cause as Error).message}`, {
      details: { option: "--env", file },
      cause,
    });
  }
}

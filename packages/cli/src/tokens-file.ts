import { dirname, resolve } from "node:path";
import { z } from "zod";
import { CliError, CliErrorCode } from "./errors.ts";
import { planloomHome } from "./home.ts";
import type { CliIo } from "./io.ts";

const Scope = z.enum(["read", "run", "approve"]);

const Entry = z
  .strictObject({
    name: z.string().min(1),
    token: z.union([z.string(), z.strictObject({ env: z.string().min(1) })]),
    scopes: z.array(Scope).min(1).optional(),
    home: z.string().min(1).optional(),
    tools: z.array(z.string()).optional(),
    secrets: z.array(z.string().min(1)).optional(),
  })
  .refine(({ home, tools, secrets }) => (tools ?? secrets) === undefined || home !== undefined, {
    path: ["home"],
    message: "`tools` and `secrets` need a `home` of its own",
  });

const TokensFile = z.strictObject({ tokens: z.array(Entry).min(1) });

/** A token of `--tokens`, with its secret read. */
export interface ServeToken {
  readonly name: string;
  readonly token: string;
  readonly scopes?: readonly z.infer<typeof Scope>[];
  /** A folder, whole; absent for the home of the server. */
  readonly home?: string;
  /** Absent for all. */
  readonly tools?: readonly string[];
  /** Names of the server's secrets that its plans may name; absent for none, where it has a home. */
  readonly secrets?: readonly string[];
}

/**
 * Reads a file of tokens (JSON or YAML). Folders in it are relative to it; `{"env": "NAME"}` is the value of a variable.
 * @throws CliError CONFIG
 */
export async function readTokensFile(name: string, io: CliIo): Promise<readonly ServeToken[]> {
  const file = resolve(io.cwd, name);
  const refuse = (problem: string, cause?: unknown) =>
    new CliError(CliErrorCode.CONFIG, `Expected a file of tokens in ${name}, ${problem}`, {
      hint: 'It looks like {"tokens": [{"name": "ada", "token": {"env": "ADA_TOKEN"}, "scopes": ["read"]}]}.',
      details: { file },
      ...(cause !== undefined && { cause }),
    });
  const [{ readFileWithin }, { parse }] = await Promise.all([import("planloom/planning"), import("yaml")]);
  let value: unknown;
  try {
    const bytes = await readFileWithin(file, 1024 * 1024);
    if (typeof bytes === "number") throw new Error("it is larger than 1 MiB");
    value = parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw refuse(`but it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
  const read = TokensFile.safeParse(value);
  if (!read.success) {
    const lines = read.error.issues
      .slice(0, 3)
      .map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
    throw refuse(`got ${lines.join("; ")}`);
  }
  const allowedOf = new Map<string, string>();
  for (const { home: given, tools, secrets = [] } of read.data.tokens) {
    if (given === undefined) continue;
    const home = resolve(dirname(file), given);
    if (home === resolve(planloomHome(io)))
      throw refuse(`but ${given} is the home of the server itself. A token without \`home\` has that one.`);
    const said = JSON.stringify([tools?.toSorted() ?? null, secrets.toSorted()]);
    // The runs of a home are resumed with its tools, so there is one set of them.
    if ((allowedOf.get(home) ?? said) !== said)
      throw refuse(`but ${given} has different tools or secrets in two places.`);
    allowedOf.set(home, said);
  }
  return read.data.tokens.map(({ token, home, scopes, tools, secrets, ...entry }) => ({
    ...entry,
    token: secretOf(token, refuse, io),
    ...(scopes !== undefined && { scopes }),
    ...(home !== undefined && { home: resolve(dirname(file), home) }),
    ...(tools !== undefined && { tools }),
    ...(secrets !== undefined && { secrets }),
  }));
}

function secretOf(token: string | { readonly env: string }, refuse: (problem: string) => CliError, io: CliIo): string {
  if (typeof token === "string") return token;
  const value = io.env[token.env];
  if (value === undefined || value === "") throw refuse(`but the variable ${token.env} is not set.`);
  return value;
}

import { accountName } from "../account-name.ts";
import { ExitCode } from "../exit-code.ts";
import { planloomHome } from "../home.ts";
import { type CliIo, jsonText } from "../io.ts";
import { logLines } from "../log-lines.ts";
import { openHome, tenantsOf } from "../serve-homes.ts";
import { loadServer } from "../server-package.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { readTokensFile } from "../tokens-file.ts";
import { untilAborted } from "../until-aborted.ts";

export interface ServeCommandOptions extends SessionOptions {
  readonly host?: string;
  readonly port?: number;
  readonly cors?: readonly string[];
  /** A file of tokens. */
  readonly tokens?: string;
  readonly allowedHost?: readonly string[];
  /** Seconds. */
  readonly drain?: number;
  readonly rateLimit?: { readonly limit: number; readonly intervalMs: number };
  /** MiB. */
  readonly maxBody?: number;
  /** Seconds. */
  readonly bodyTimeout?: number;
  readonly maxListeners?: number;
  /** Seconds. */
  readonly heartBeat?: number;
  /** Seconds. */
  readonly controllerTimeout?: number;
  readonly basePath?: string;
  /** False with `--no-resume`. */
  readonly resume?: boolean;
  readonly json?: boolean;
}

const drainSeconds = 20;

/** `planloom serve`: answers HTTP until it is interrupted, and loses no run then. */
export async function serve(options: ServeCommandOptions, io: CliIo): Promise<number> {
  const { tokens: tokensFile, drain = drainSeconds, json = false, ...given } = options;
  const server = await loadServer("serve");
  const listed = tokensFile === undefined ? [] : await readTokensFile(tokensFile, io);
  const { PLANLOOM_TOKEN: own } = io.env;
  const home = await openHome(planloomHome(io), server, io);
  const homes = [home];
  try {
    await using session = await openSession(given, io, { journal: home.journal });
    const { tokens, tenants } = await tenantsOf(listed, session, server, io, (opened) => homes.push(opened));
    if (own) tokens.push({ name: "PLANLOOM_TOKEN", token: own });
    const running = await server.serve(session.planloom, {
      plans: home.plans,
      store: home.store,
      log: session.planloom.logger ?? logLines(io, json),
      tokens,
      tenants,
      // Without tokens it is reached from this machine alone.
      anonymousName: accountName(),
      ...settingsOf(options),
    });
    const { resumed } = running;
    const url = `${running.url}${options.basePath ?? ""}`;
    if (json) io.stdout.write(jsonText({ url, port: running.port, resumed }));
    else
      greet({ url, resumed, token: own ? "$PLANLOOM_TOKEN" : tokens.length > 0 && "TOKEN", notes: session.notes }, io);
    await untilAborted(io.signal);
    if (!json) io.stderr.write("Stopping: running calls may end; what is left is taken up at the next start.\n");
    await running.close({ drainMs: drain * 1_000 });
  } finally {
    for (const { journal } of homes) await journal.close();
  }
  return ExitCode.DONE;
}

/** The options of the server that are given here, in its own units. */
function settingsOf(options: ServeCommandOptions) {
  const { host, port, cors, allowedHost, rateLimit, maxBody, bodyTimeout, maxListeners } = options;
  const { heartBeat, controllerTimeout, basePath, resume } = options;
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(cors !== undefined && { cors }),
    ...(allowedHost !== undefined && { allowedHosts: allowedHost }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(maxBody !== undefined && { maxBodyBytes: Math.floor(maxBody * 1024 * 1024) }),
    ...(bodyTimeout !== undefined && { bodyTimeoutMs: bodyTimeout * 1_000 }),
    ...(maxListeners !== undefined && { maxListeners }),
    ...(heartBeat !== undefined && { heartBeatMs: heartBeat * 1_000 }),
    ...(controllerTimeout !== undefined && { controllerTimeoutMs: controllerTimeout * 1_000 }),
    ...(basePath !== undefined && { basePath }),
    ...(resume === false && { resumeRuns: false }),
  };
}

function greet(
  about: {
    readonly url: string;
    readonly resumed: number;
    /** The word for the token in examples; false for a server without tokens. */
    readonly token: string | false;
    readonly notes: readonly string[];
  },
  io: CliIo,
): void {
  const { url, resumed, token, notes } = about;
  const style = styleFor(io.stdout, io.env);
  for (const note of notes) io.stderr.write(`${plainLine(note)}\n`);
  io.stdout.write(`Planloom listens on ${style.paint("bold", url)}: open it in a browser, or send requests.\n`);
  if (resumed > 0) io.stdout.write(`${resumed} ${resumed === 1 ? "run" : "runs"} of before continue.\n`);
  if (token === false)
    io.stdout.write(
      "There is no token: every program of this machine may run, change and approve everything here, also without a person's yes (`confirm`). PLANLOOM_TOKEN or --tokens FILE changes that.\n",
    );
  const header = token === false ? "" : ` -H "authorization: Bearer ${token}"`;
  io.stdout.write(`\nTry:  curl ${url}/runs${header} --json '{"goal": "…"}'\n`);
  io.stdout.write(`      curl -N ${url}/runs/RUN/events${header}\n`);
}

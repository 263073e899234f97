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
  readonly json?: boolean;
}

const drainSeconds = 20;

/** `planloom serve`: answers HTTP until it is interrupted, and loses no run then. */
export async function serve(options: ServeCommandOptions, io: CliIo): Promise<number> {
  const { host, port, cors, tokens: tokensFile, allowedHost, drain = drainSeconds, json = false, ...given } = options;
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
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
      ...(cors === undefined ? {} : { cors }),
      ...(allowedHost === undefined ? {} : { allowedHosts: allowedHost }),
    });
    const { url, resumed } = running;
    if (json) io.stdout.write(jsonText({ url, port: running.port, resumed }));
    else greet({ url, resumed, hasToken: tokens.length > 0, notes: session.notes }, io);
    await untilAborted(io.signal);
    if (!json) io.stderr.write("Stopping: running calls may end; what is left is taken up at the next start.\n");
    await running.close({ drainMs: drain * 1_000 });
  } finally {
    for (const { journal } of homes) await journal.close();
  }
  return ExitCode.DONE;
}

function greet(
  about: {
    readonly url: string;
    readonly resumed: number;
    readonly hasToken: boolean;
    readonly notes: readonly string[];
  },
  io: CliIo,
): void {
  const { url, resumed, hasToken, notes } = about;
  const style = styleFor(io.stdout, io.env);
  for (const note of notes) io.stderr.write(`${plainLine(note)}\n`);
  io.stdout.write(`Planloom listens on ${style.paint("bold", url)}: open it in a browser, or send requests.\n`);
  if (resumed > 0) io.stdout.write(`${resumed} ${resumed === 1 ? "run" : "runs"} of before continue.\n`);
  if (!hasToken)
    io.stdout.write(
      "There is no token: every program of this machine may run, change and approve everything here, also without a person's yes (`confirm`). PLANLOOM_TOKEN or --tokens FILE changes that.\n",
    );
  const header = hasToken ? ` -H "authorization: Bearer $PLANLOOM_TOKEN"` : "";
  io.stdout.write(`\nTry:  curl ${url}/runs${header} --json '{"goal": "…"}'\n`);
  io.stdout.write(`      curl -N ${url}/runs/RUN/events${header}\n`);
}

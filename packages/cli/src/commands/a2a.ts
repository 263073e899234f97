import { ExitCode } from "../exit-code.ts";
import { planloomHome } from "../home.ts";
import { type CliIo, jsonText } from "../io.ts";
import { openJournal } from "../journals.ts";
import { logLines } from "../log-lines.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { plainLine } from "../terminal/style.ts";
import { loadA2a } from "../tool-servers.ts";
import { untilAborted } from "../until-aborted.ts";

export interface A2aCommandOptions extends SessionOptions {
  readonly port?: number;
  readonly host?: string;
  readonly maxListeners?: number;
  /** On the card. */
  readonly name?: string;
  readonly approveByMessage?: boolean;
  readonly json?: boolean;
}

/** `planloom a2a`: is an A2A agent that plans and runs, until the program is interrupted. */
export async function a2a(options: A2aCommandOptions, io: CliIo): Promise<number> {
  const { port, host, maxListeners, name, approveByMessage, json = false, ...given } = options;
  const { serveAgent } = await loadA2a();
  await makeOwnFolder(planloomHome(io), "Set PLANLOOM_HOME to a folder that can be written.");
  const journal = await openJournal(io, { events: true });
  try {
    await using session = await openSession(given, io, { journal });
    for (const note of session.notes) io.stderr.write(`${plainLine(note)}\n`);
    const token = io.env.PLANLOOM_TOKEN;
    await using server = await serveAgent(session.planloom, {
      log: session.planloom.logger ?? logLines(io, json),
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(maxListeners !== undefined && { maxListeners }),
      ...(name !== undefined && { name }),
      ...(approveByMessage !== undefined && { approveByMessage }),
      ...(token && { token }),
    });
    const card = `${server.url}/.well-known/agent-card.json`;
    io.stdout.write(json ? jsonText({ url: server.url, card }) : `An A2A agent is at ${server.url}\n  card: ${card}\n`);
    await untilAborted(io.signal);
    return ExitCode.DONE;
  } finally {
    await journal.close();
  }
}

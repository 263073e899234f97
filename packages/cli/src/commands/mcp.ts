import { ExitCode } from "../exit-code.ts";
import { planloomHome, planStore } from "../home.ts";
import { type CliIo, jsonText } from "../io.ts";
import { openJournal } from "../journals.ts";
import { logLines } from "../log-lines.ts";
import { loadMcpServer } from "../mcp-server-package.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { openSession, type SessionOptions } from "../session.ts";
import { plainLine } from "../terminal/style.ts";
import { untilAborted } from "../until-aborted.ts";

export interface McpCommandOptions extends SessionOptions {
  /** Streamable HTTP in place of standard input and output. */
  readonly port?: number;
  readonly host?: string;
  readonly maxListeners?: number;
  readonly approveByCall?: boolean;
  readonly json?: boolean;
}

/** `planloom mcp`: plans as tools of an MCP server, until the client leaves or the program is interrupted. */
export async function mcp(options: McpCommandOptions, io: CliIo): Promise<number> {
  const { port, host, maxListeners, approveByCall, json = false, ...given } = options;
  const { serveMcpHttp, serveMcpStdio } = await loadMcpServer();
  await makeOwnFolder(planloomHome(io), "Set PLANLOOM_HOME to a folder that can be written.");
  const journal = await openJournal(io, { events: true });
  try {
    await using session = await openSession(given, io, { journal });
    // Standard output is the protocol's.
    for (const note of session.notes) io.stderr.write(`${plainLine(note)}\n`);
    const log = session.planloom.logger ?? logLines(io, json);
    const settings = { plans: await planStore(io), log, ...(approveByCall !== undefined && { approveByCall }) };
    if (port === undefined && host === undefined) {
      const server = serveMcpStdio(session.planloom, settings);
      await Promise.race([server.closed, untilAborted(io.signal)]);
      await server.close();
      return ExitCode.DONE;
    }
    const token = io.env.PLANLOOM_TOKEN;
    await using server = await serveMcpHttp(session.planloom, {
      ...settings,
      ...(port !== undefined && { port }),
      ...(host !== undefined && { host }),
      ...(maxListeners !== undefined && { maxListeners }),
      ...(token && { token }),
    });
    io.stdout.write(json ? jsonText({ url: server.url }) : `Plans are tools at ${server.url}\n`);
    await untilAborted(io.signal);
    return ExitCode.DONE;
  } finally {
    await journal.close();
  }
}

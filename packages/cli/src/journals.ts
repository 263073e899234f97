import { access } from "node:fs/promises";
import { type Command, Option } from "commander";
import type { SqliteJournal } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import { journalFile } from "./home.ts";
import type { CliIo } from "./io.ts";

/** The journal in Postgres: an optional peer, loaded where an address is given. */
type PostgresPackage = typeof import("@planloom/postgres");

/** Where the runs of the command line are: in a file of the home, or in a database that other machines share. */
export type CliJournal = SqliteJournal | Awaited<ReturnType<PostgresPackage["PostgresJournal"]["open"]>>;

export type PostgresDispatcher = ReturnType<PostgresPackage["postgresDispatcher"]>;

/** Commands that read or write runs. */
const withRuns = new Set([
  ...["run", "loop", "resume", "scheduler", "schedule", "approve", "deny", "signal", "cancel", "replay", "fork"],
  ...[
    "optimize",
    "list",
    "show",
    "delete",
    "prune",
    "memory",
    "replan",
    "serve",
    "open",
    "mcp",
    "a2a",
    "doctor",
    "worker",
  ],
]);

/** Adds `--on` to the commands that read or write runs, those within them too. @param onAddress is given the address before a command is carried out */
export function addJournalOption(program: Command, onAddress: (address: string) => void): void {
  const add = (command: Command) => {
    command
      .addOption(
        new Option(
          "--on <address>",
          "runs are in this database, postgres://… (default: PLANLOOM_ON, or a file in PLANLOOM_HOME)",
        ),
      )
      .hook("preAction", (given) => {
        const { on } = given.opts<{ on?: string }>();
        if (on === undefined) return;
        onAddress(on);
        // It is a matter of where runs are, not of the command's own.
        given.setOptionValue("on", undefined);
      });
    for (const inner of command.commands) add(inner);
  };
  for (const command of program.commands) if (withRuns.has(command.name())) add(command);
}

/** The address of the database that runs are in; undefined where they are in a file. */
function addressOf({ on, env }: CliIo): string | undefined {
  return on ?? (env.PLANLOOM_ON || undefined);
}

/** For messages. */
export function journalName(io: CliIo): string {
  const address = addressOf(io);
  if (address === undefined) return journalFile(io);
  // A password may be in it.
  return URL.canParse(address) ? new URL(address).host + new URL(address).pathname : "the database of --on";
}

/** Whether there may be runs: a file is made by the first one. */
export async function hasJournal(io: CliIo): Promise<boolean> {
  if (addressOf(io) !== undefined) return true;
  return access(journalFile(io)).then(
    () => true,
    () => false,
  );
}

/** Whether the journal is one that other machines share. */
export function isShared(io: CliIo): boolean {
  return addressOf(io) !== undefined;
}

/**
 * Opens the journal of the command line. The caller closes it.
 * @param options.events whether events are kept, too; in a database they always are, for those who follow a run from elsewhere
 * @param options.file of the journal, where it is not in a database. @default that of the home
 * @param options.schema of the journal, where it is in a database. @default "planloom"
 * @throws RuntimeError JOURNAL_*; CliError CONFIG where the package for databases is not installed
 */
export async function openJournal(
  io: CliIo,
  options: { readonly events?: boolean; readonly file?: string; readonly schema?: string } = {},
): Promise<CliJournal> {
  const { events = false, file = journalFile(io), schema } = options;
  const address = addressOf(io);
  if (address !== undefined) {
    const { PostgresJournal } = await loadPostgres();
    return PostgresJournal.open(address, { events: true, ...(schema !== undefined && { schema }) });
  }
  const { SqliteJournal } = await import("planloom/runtime");
  return SqliteJournal.open(file, { events });
}

/**
 * The journal that machines share, and what works on it.
 * @throws RuntimeError JOURNAL_*; CliError USAGE without an address, CONFIG where the package for databases is not installed
 */
export async function openSharedJournal(io: CliIo, command: string) {
  const address = addressOf(io);
  if (address === undefined) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Expected the address of a database for ${command}: runs are in a file of this machine.`,
      {
        hint: "Give it by --on postgres://… or PLANLOOM_ON.",
        details: { option: "--on" },
      },
    );
  }
  const postgres = await loadPostgres();
  return { ...postgres, address, journal: await postgres.PostgresJournal.open(address, { events: true }) };
}

/** @throws CliError CONFIG where the package for databases is not installed */
export async function loadPostgres(): Promise<PostgresPackage> {
  try {
    return await import("@planloom/postgres");
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      "code" in cause &&
      cause.code === "ERR_MODULE_NOT_FOUND" &&
      cause.message.includes("'@planloom/postgres'");
    if (!isMissing) throw cause;
    const message = "--on needs the package @planloom/postgres, which is not installed: npm install @planloom/postgres";
    throw new CliError(CliErrorCode.CONFIG, message, { cause });
  }
}

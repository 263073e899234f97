import { CliError, CliErrorCode } from "./errors.ts";

/** The server: an optional peer, loaded by `planloom serve`, `open` and `run --open`. */
export type ServerPackage = typeof import("@planloom/server");

/**
 * @param command what needs it, for the message
 * @throws CliError CONFIG where the package is not installed; the message says in one line what to install
 */
export async function loadServer(command: string): Promise<ServerPackage> {
  try {
    return await import("@planloom/server");
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      "code" in cause &&
      cause.code === "ERR_MODULE_NOT_FOUND" &&
      cause.message.includes("'@planloom/server'");
    if (!isMissing) throw cause;
    throw new CliError(
      CliErrorCode.CONFIG,
      `\`planloom ${command}\` needs the package @planloom/server, which is not installed: npm install @planloom/server`,
      { cause },
    );
  }
}

export { runCli } from "./cli.ts";
export { CliError, CliErrorCode } from "./errors.ts";
export { ExitCode } from "./exit-code.ts";
export type { CliIo, TextSink } from "./io.ts";

import type { CliIo } from "./io.ts";

/** How the user called this program, for commands to copy: in the repository a script of pnpm, elsewhere the binary. */
export function commandName(io: CliIo): string {
  const script = io.env.npm_lifecycle_event;
  return script === "planloom" || script === "demo" ? "pnpm planloom" : "planloom";
}

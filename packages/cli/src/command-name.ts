import type { CliIo } from "./io.ts";

/** How the user called us, for commands to copy: in the repository a script of pnpm, elsewhere the binary. */
export function commandName(io: CliIo): string {
  const script = io.env.npm_lifecycle_event;
  return script === "planloom" || script === "demo" ? "pnpm planloom" : "planloom";
}

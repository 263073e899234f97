import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CliIo } from "./io.ts";

/**
 * How the user called this program, for commands to copy: in the repository a script of pnpm, by npx where it is installed in a project (its
 * binary is in no PATH of a shell then), elsewhere the binary.
 */
export function commandName({ env, cwd }: Pick<CliIo, "env" | "cwd">): string {
  const script = env.npm_lifecycle_event;
  if (script === "planloom" || script === "demo") return "pnpm planloom";
  if (script !== "npx") return "planloom";
  return isInProject(cwd) ? "npx planloom" : "npx @planloom/cli";
}

function isInProject(folder: string): boolean {
  if (existsSync(join(folder, "node_modules", ".bin", "planloom"))) return true;
  return dirname(folder) !== folder && isInProject(dirname(folder));
}

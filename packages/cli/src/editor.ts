import { spawn } from "node:child_process";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/**
 * Opens a file in the editor of the environment (`VISUAL`, else `EDITOR`; words after the program are its options) and waits until it is closed.
 * @throws CliError USAGE where none is set, CONFIG where it cannot be started or ends with an error
 */
export async function openInEditor(file: string, { env, cwd, signal }: CliIo): Promise<void> {
  const editor = [env.VISUAL, env.EDITOR].find((name) => name !== undefined && name.trim() !== "");
  if (editor === undefined) {
    throw new CliError(CliErrorCode.USAGE, "Expected VISUAL or EDITOR to name an editor, and neither is set.", {
      hint: "EDITOR=nano planloom edit PLAN, or change a copy and give it: planloom edit PLAN --from FILE.",
      details: { option: "EDITOR" },
    });
  }
  // As git does it: the shell splits the words of the variable, the file's name is handed over whole.
  const child =
    process.platform === "win32"
      ? spawn(`${editor} "${file}"`, { cwd, env: { ...env }, shell: true, stdio: "inherit" })
      : spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { cwd, env: { ...env }, stdio: "inherit" });
  const stop = () => child.kill();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    if (code === 0) return;
    throw new CliError(CliErrorCode.CONFIG, `The editor ${JSON.stringify(editor)} ended with code ${code}.`, {
      details: { editor, code },
    });
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

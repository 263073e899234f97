import { spawn } from "node:child_process";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/**
 * Opens an address in the user's browser: the program of `BROWSER`, else the system's own. Does not wait for it to be closed.
 * @throws CliError CONFIG where it cannot be started
 */
export async function openInBrowser(url: string, { env, cwd }: CliIo): Promise<void> {
  const [program, ...words] = opener(env.BROWSER);
  const child = spawn(program, [...words, url], { cwd, env: { ...env }, stdio: "ignore", detached: true });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (cause) => {
      reject(
        new CliError(CliErrorCode.CONFIG, `Cannot start ${JSON.stringify(program)} to open ${url}: ${cause.message}`, {
          hint: "Open the address yourself, or set BROWSER to a program that opens addresses.",
          details: { url, program },
          cause,
        }),
      );
    });
  });
  child.unref();
}

function opener(browser: string | undefined): [string, ...string[]] {
  if (browser !== undefined && browser.trim() !== "") return [browser];
  if (process.platform === "darwin") return ["open"];
  if (process.platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}

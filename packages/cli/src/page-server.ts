import type { Planloom, PlanStore } from "planloom";
import { accountName } from "./account-name.ts";
import type { CliIo } from "./io.ts";
import { openInBrowser } from "./open-in-browser.ts";
import { loadServer } from "./server-package.ts";
import { plainLine } from "./terminal/style.ts";

/** The live page of this machine's plans and runs, for as long as a command runs. */
export interface PageServer {
  readonly url: string;
  /** The address of the page of a run or a plan. */
  address(kind: "runs" | "plans", id: string): string;
  /** Opens it in the browser. Where that cannot be started, the address is shown, and the command continues. */
  show(address: string): Promise<void>;
  /** Also closes the Planloom. */
  close(): Promise<void>;
}

/**
 * Serves the page on a free port of this machine. Runs that others left are not continued: that is what `serve` is for.
 * @throws CliError CONFIG where the package of the server is not installed; ServerError LISTEN
 */
export async function openPageServer(
  planloom: Planloom,
  { plans, command }: { readonly plans: PlanStore; readonly command: string },
  io: CliIo,
): Promise<PageServer> {
  const { serve } = await loadServer(command);
  const running = await serve(planloom, { port: 0, plans, resumeRuns: false, anonymousName: accountName() });
  return {
    url: running.url,
    address: (kind, id) => `${running.url}/#/${kind}/${encodeURIComponent(id)}`,
    async show(address) {
      try {
        await openInBrowser(address, io);
      } catch (error) {
        io.stderr.write(`${plainLine(error instanceof Error ? error.message : String(error))} Open it yourself.\n`);
      }
    },
    close: () => running.close(),
  };
}

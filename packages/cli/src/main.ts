import { enableCompileCache } from "node:module";

enableCompileCache();

// Node.js 22 calls its SQLite experimental, in the middle of what is drawn.
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  if (!String(warning).startsWith("SQLite is an experimental")) Reflect.apply(emitWarning, process, [warning, ...rest]);
};

const interrupt = new AbortController();
process.on("SIGINT", () => {
  // The first Ctrl-C lets the run record where it stands; the second gives up waiting for it.
  if (interrupt.signal.aborted) process.exit(130);
  interrupt.abort(new DOMException("Interrupted by Ctrl-C", "AbortError"));
});
process.on("SIGTERM", () => interrupt.abort(new DOMException("Terminated", "AbortError")));
// A reader that went away (`planloom list | head`) is no error of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

const [{ runCli }, { processIo }] = await Promise.all([import("./cli.ts"), import("./io.ts")]);
process.exitCode = await runCli(process.argv.slice(2), processIo(interrupt.signal));

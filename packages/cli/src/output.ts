import { ExitCode } from "./exit-code.ts";

/** Codes of errors after the reader of the output has gone: `planloom list | head -1`, a terminal that was closed. */
const readerGone = new Set(["EPIPE", "EIO", "ECONNRESET", "ERR_STREAM_DESTROYED"]);

export interface WatchedOutput {
  /**
   * Settles when all is written, with what the process exits with: a failure where standard output took not all of it, as a full
   * disk does. A reader that has gone changes nothing: it does not decide about the work.
   */
  finish(code: number): Promise<number>;
}

/** Keeps errors of the standard streams from ending the work, which continues and is recorded. */
export function watchOutput(): WatchedOutput {
  let lost: Error | undefined;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!readerGone.has(error.code ?? "")) lost ??= error;
  });
  // There is no other stream for this error.
  process.stderr.on("error", () => {});
  return {
    async finish(code) {
      await written(process.stdout);
      if (lost !== undefined) {
        process.stderr.write(
          `error Standard output could not be written: ${lost.message}.  [CLI_OUTPUT]\n` +
            "hint  The work itself continued. What a run did is in its journal: planloom list, planloom show RUN.\n",
        );
      }
      await written(process.stderr);
      return lost !== undefined && code === ExitCode.DONE ? ExitCode.FAILED : code;
    },
  };
}

/** Settles when everything given to the stream has left it, or cannot. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableEnded) resolve();
    else stream.write("", () => resolve());
  });
}

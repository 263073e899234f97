import { enableCompileCache } from "node:module";

enableCompileCache();

// Said in the middle of what is drawn: Node.js 22 calls its SQLite experimental, and a configuration in a project without `"type": "module"` is
// read as a module all the same, only twice.
const needless = /^SQLite is an experimental|^Module type of .* is not specified/;
const { emitWarning } = process;
process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
  const text = warning instanceof Error ? warning.message : warning;
  if (!needless.test(text)) Reflect.apply(emitWarning, process, [warning, ...rest]);
};

const [{ listenForSignals }, { watchOutput }] = await Promise.all([
  import("./interruptions.ts"),
  import("./output.ts"),
]);
const interruptions = listenForSignals();
const output = watchOutput();
const [{ runCli }, { processIo }] = await Promise.all([import("./cli.ts"), import("./io.ts")]);
const code = await runCli(process.argv.slice(2), processIo(interruptions.signal));
// A timer or a connection that a tool left open does not keep the process alive.
process.exit(await output.finish(interruptions.exitCode(code)));

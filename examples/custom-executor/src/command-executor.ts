import { type ChildProcess, spawn } from "node:child_process";
import { defineExecutor, type Executor, type JsonSchema } from "planloom";

/** One command that a plan may use. */
export interface Command {
  readonly id: string;
  readonly description: string;
  /** Program and arguments; `{name}` stands for the input of that name, as one whole argument. No shell reads any of it. */
  readonly argv: readonly [string, ...string[]];
  /** Input names with what they are for; all are texts and required. */
  readonly input?: Readonly<Record<string, string>>;
  /** It changes nothing: it may be tried again, and start before the plan is whole. @default false */
  readonly readOnly?: boolean;
}

export interface CommandExecutorOptions {
  readonly cwd?: string;
  /** More than this of standard output fails the task. @default 1 MiB */
  readonly maxOutputBytes?: number;
  /** Told each process that is started. */
  readonly onStart?: (child: ChildProcess) => void;
}

/** Time between asking a process to stop and ending it. */
const killAfterMs = 300;

/** Commands as tools: the output is `{ stdout }`; an exit code other than 0 fails the task with what stood on standard error. */
export function commandExecutor(commands: readonly Command[], options: CommandExecutorOptions = {}): Executor {
  const byId = new Map(commands.map((command) => [command.id, command]));
  const resources = commands.map(({ id, description, input = {}, readOnly = false }) => ({
    kind: "tool" as const,
    id,
    description,
    input_schema: schemaOf(input),
    output_schema: { type: "object", properties: { stdout: { type: "string" } }, required: ["stdout"] },
    read_only: readOnly,
  }));
  return defineExecutor({
    kind: "tool",
    resources: () => resources,
    async execute({ uid, input_data }, { signal, onProgress }) {
      const command = byId.get(uid);
      if (command === undefined) throw new Error(`No command is called "${uid}".`);
      signal.throwIfAborted();
      const [program = "", ...args] = command.argv.map((part) => fill(part, input_data));
      const stdout = await runProgram(program, args, options, signal, onProgress);
      return { stdout };
    },
  });
}

function runProgram(
  program: string,
  args: readonly string[],
  { cwd, maxOutputBytes = 1024 * 1024, onStart }: CommandExecutorOptions,
  signal: AbortSignal,
  onProgress: (progress: unknown) => void,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
    onStart?.(child);
    let failure: unknown;
    let timer: NodeJS.Timeout | undefined;
    const stop = (reason: unknown) => {
      failure ??= reason;
      child.kill("SIGTERM");
      timer ??= setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    };
    const onAbort = () => stop(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    let bytes = 0;
    child.stdout.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxOutputBytes) stop(new Error(`${program} wrote more than ${maxOutputBytes} bytes.`));
      else stdout.push(chunk);
      onProgress({ bytes });
    });
    child.stderr.on("data", (chunk: Buffer) => {
      if (stderr.length < 16) stderr.push(chunk);
    });
    child.on("error", (error) => {
      failure ??= error;
    });
    // Only now has the process ended and is nothing left to read.
    child.on("close", (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      if (failure !== undefined) reject(failure);
      else if (code === 0) resolve(Buffer.concat(stdout).toString("utf8"));
      else
        reject(
          new Error(`${program} ended with ${code ?? killedBy}: ${Buffer.concat(stderr).toString("utf8").trim()}`),
        );
    });
  });
}

function fill(part: string, input: Readonly<Record<string, unknown>>): string {
  return part.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(input, name) ? String(input[name]) : whole,
  );
}

function schemaOf(input: Readonly<Record<string, string>>): JsonSchema {
  const properties = Object.entries(input).map(([name, description]) => [name, { type: "string", description }]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: Object.keys(input),
    additionalProperties: false,
  };
}

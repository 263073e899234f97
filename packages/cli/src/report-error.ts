import { answeredDetails } from "planloom/serving";
import { CliError } from "./errors.ts";
import { ExitCode } from "./exit-code.ts";
import { type CliIo, writeJson } from "./io.ts";
import { errorText } from "./options/option-places.ts";
import { plainLine, plainText, styleFor } from "./terminal/style.ts";

/** Codes, by their start, that mean a user's mistake rather than failed work. */
const USAGE_CODES = [
  "CLI_",
  "PLAN_",
  "PLANNER_ANSWER",
  "PLANNER_GOAL",
  "PLANNER_INPUT",
  "PLANNER_RESOURCES",
  "PLANLOOM_",
  "EMBEDDED_OPTION",
  "OPTIMIZER_",
  "RUNTIME_ALREADY_ANSWERED",
  "RUNTIME_ALREADY_DENIED",
  "RUNTIME_DUPLICATE_RESOURCE",
  "RUNTIME_INVALID",
  "RUNTIME_NOT_RUNNING",
  "RUNTIME_NOT_WAITING",
  "RUNTIME_NOT_YET_ASKED",
  "RUNTIME_QUESTION_CHANGED",
  "RUNTIME_RUN_ENDED",
  "RUNTIME_RUN_LEASED",
  "RUNTIME_RUN_NOT_FOUND",
  "RUNTIME_SECRET_MISSING",
  "RUNTIME_TASK_NOT_FOUND",
  "MCP_CONFIG",
  "CONTROLLER_CONFIG",
];

/** Ways out that only the command line knows, by code. */
const HINTS: ReadonlyMap<string, string> = new Map([
  ["RUNTIME_SECRET_MISSING", "--secret NAME takes it from the environment; a configuration may have `secrets`."],
]);

/** What to do where no plan was valid: after the rules' refusal, after a model's plan that was refused, or after plans of a model that were wrong. */
function hintForNoPlan(details: unknown): string {
  const { attempts, controller } = (details ?? {}) as { readonly attempts?: unknown; readonly controller?: unknown };
  const made = Array.isArray(attempts) ? (attempts as readonly NoPlan[]) : [];
  const inWords = "Say it in the words of the tools";
  if (made.every(({ answer }) => answer === undefined)) {
    return `${inWords}, or give other tools (--mcp). A model (--model) reads other words too. --json has every attempt.`;
  }
  const isRefused = made.at(-1)?.issues?.some(({ code }) => code === "unresolved") === true;
  if (!isRefused)
    return `${inWords}, or ask a larger model (--model). --json has every attempt and what the model wrote.`;
  const asItIs =
    typeof controller === "string" && controller.startsWith("llm:")
      ? " --plan-check none takes a model's plans as they are."
      : "";
  return `${inWords}, or give other tools (--mcp).${asItIs} --json has what the model would have called.`;
}

interface NoPlan {
  readonly issues?: readonly { readonly code?: unknown }[];
  /** What a model wrote. */
  readonly answer?: unknown;
}

/** As much of an error as is shown: ours and those of libraries alike. */
interface ShownError extends Error {
  readonly code?: unknown;
  readonly details?: unknown;
  readonly hint?: string;
}

/** Whether something failed since the endpoint of a model did: other words or tools would not help. */
function isOfEndpoint(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" && code.startsWith("CONTROLLER_");
}

/** Prints what went wrong, where, and what to do, without a stack trace for a user's mistake. Returns the exit code. */
export function reportError(error: unknown, options: { json: boolean }, io: CliIo): number {
  const known: ShownError = error instanceof Error ? error : new Error(String(error));
  const code = typeof known.code === "string" ? known.code : undefined;
  const message = errorText({ code, message: known.message });
  const interrupted = io.signal.aborted && (known === io.signal.reason || known.name === "AbortError");
  if (options.json) {
    const body = {
      code: code ?? (interrupted ? "INTERRUPTED" : "INTERNAL"),
      message,
      details: answeredDetails((known.details ?? {}) as Record<string, unknown>),
    };
    writeJson(io, { error: body });
  } else if (interrupted) {
    io.stderr.write("Interrupted.\n");
  } else {
    const style = styleFor(io.stderr, io.env);
    const [first = "", ...rest] = message.split("\n");
    io.stderr.write(
      `${style.paint(["red", "bold"], "error")} ${plainLine(first)}${code ? style.paint("dim", `  [${plainLine(code)}]`) : ""}\n`,
    );
    for (const line of rest) io.stderr.write(`  ${plainLine(line)}\n`);
    const general = code === "PLANNER_NO_VALID_PLAN" ? hintForNoPlan(known.details) : HINTS.get(code ?? "");
    const hint = known.hint ?? (isOfEndpoint(known.cause) ? undefined : general);
    if (hint !== undefined) io.stderr.write(`${style.paint("cyan", "hint")}  ${plainLine(hint)}\n`);
    if (code === undefined && io.env.DEBUG?.includes("planloom") !== true) {
      io.stderr.write(
        style.paint("dim", "This looks like a defect of ours. DEBUG=planloom shows where it happened.\n"),
      );
    }
    if (io.env.DEBUG?.includes("planloom") === true && known.stack !== undefined) {
      io.stderr.write(`${plainText(known.stack)}\n`);
    }
  }
  if (interrupted) return ExitCode.INTERRUPTED;
  const usage =
    error instanceof CliError || (code !== undefined && USAGE_CODES.some((start) => code.startsWith(start)));
  return usage ? ExitCode.USAGE : ExitCode.FAILED;
}

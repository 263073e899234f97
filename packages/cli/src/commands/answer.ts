import type { ApprovalAnswer, WaitingCall } from "planloom";
import { accountName } from "../account-name.ts";
import { commandName } from "../command-name.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { wordsOfJournal } from "../journaled-session.ts";
import { shellWord } from "../terminal/shell-word.ts";
import { plainLine, styleFor } from "../terminal/style.ts";
import { answerWord } from "../views/answer-view.ts";
import { nextSteps } from "./next-steps.ts";
import { requireRun, withJournal } from "./recorded-runs.ts";

export interface AnswerCommandOptions {
  /** Of the question that is answered. @default the one that is asked now */
  readonly contentHash?: string;
  readonly note?: string;
  /** Who answers. @default the name of the account */
  readonly by?: string;
  /** What a person answers to a question that an executor or an agent asks. */
  readonly answer?: string;
  /** JSON: the input to use instead. */
  readonly input?: string;
  /** JSON: the result of a call whose outcome was unknown. */
  readonly output?: string;
  /** Whether the answer may replace another one. */
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** `planloom approve` and `deny`: answers tasks that wait. Without a task it means the only one that waits. */
export async function answer(
  said: ApprovalAnswer["answer"],
  prefix: string,
  tasks: readonly string[],
  options: AnswerCommandOptions,
  io: CliIo,
): Promise<number> {
  checkOneOf(options);
  const output = options.output === undefined ? undefined : { value: readOutput(options.output) };
  const run = await requireRun(prefix, io);
  const { approve, deny, supplyOutput, waitingFor } = await import("planloom/runtime");
  const answers = await withJournal(io, async (journal) => {
    const given: ApprovalAnswer[] = [];
    const waiting = await waitingFor(run.run_id, { journal });
    const open = waiting.filter(({ answer }) => answer === undefined);
    const names = tasks.length > 0 ? tasks : [theOnlyOne((open.length > 0 ? open : waiting).map(({ id }) => id))];
    const note = options.note === undefined ? {} : { note: options.note };
    const { contentHash } = options;
    const about = { journal, by: options.by ?? accountName(), ...note, ...(contentHash && { contentHash }) };
    const edit = options.input === undefined ? {} : { input: readInput(options.input) };
    const inWords = (name: string) =>
      options.answer === undefined ? edit : { input: answered(name, waiting, options.answer) };
    // Before the first answer is kept: one that cannot be given leaves all as they are.
    const edits = names.map((name) => [name, inWords(name)] as const);
    const instead = options.replace === true ? { replace: true } : {};
    if (output === undefined && options.answer === undefined && options.input === undefined)
      return said === "approve" ? approve(run.run_id, names, { ...about, ...instead }) : deny(run.run_id, names, about);
    for (const [name, edited] of edits) {
      if (output !== undefined) {
        given.push(await supplyOutput(run.run_id, name, output.value, { ...about, ...instead }));
        continue;
      }
      const say =
        said === "approve"
          ? approve(run.run_id, name, { ...about, ...edited, ...instead })
          : deny(run.run_id, name, about);
      given.push(await say);
    }
    return given;
  });
  if (options.json === true) {
    writeJson(io, { run_id: run.run_id, answers });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  for (const given of answers ?? [])
    io.stdout.write(`${style.paint("bold", plainLine(given.task_id))}  ${answerWord(given, style)}\n`);
  // The process that runs it gets the answer by itself.
  if (run.status !== "running") {
    const resume = ["resume", run.run_id, ...(await wordsOfJournal(run.options.metadata, io))];
    io.stdout.write(nextSteps([resume], style, io));
  }
  return ExitCode.DONE;

  function theOnlyOne(waiting: readonly string[]): string {
    const [only] = waiting;
    if (only !== undefined && waiting.length === 1) return only;
    const what =
      only === undefined
        ? "No task of this run waits for approval"
        : `${waiting.length} tasks wait: ${waiting.join(", ")}`;
    throw new CliError(CliErrorCode.USAGE, `${what}.`, {
      hint:
        only === undefined
          ? `${commandName(io)} show ${run.run_id} shows its state.`
          : `Name those you mean: ${commandName(io)} ${said} ${run.run_id} ${waiting.slice(0, 3).map(shellWord).join(" ")}`,
      details: { waiting },
    });
  }
}

/** An answer in words, an input and a result are answers to different questions. */
function checkOneOf({ answer, input, output }: AnswerCommandOptions): void {
  const named = Object.entries({ answer, input, output }).flatMap(([name, given]) =>
    given === undefined ? [] : [`--${name}`],
  );
  if (named.length < 2) return;
  throw new CliError(
    CliErrorCode.USAGE,
    `Expected one of --answer, --input and --output, got ${named.join(" and ")}.`,
    {
      details: { option: named[0] },
    },
  );
}

/** The call of this id, or the only one that waits in the task of this id. */
function meantBy(name: string, waiting: readonly WaitingCall[]): WaitingCall | undefined {
  const own = waiting.find(({ id }) => id === name);
  const within = waiting.filter(({ id }) => id.startsWith(`${name}/`));
  return own ?? (within.length === 1 ? within[0] : undefined);
}

/** The input of a question with the answer to it, as `ask` of an executor takes it. */
function answered(name: string, waiting: readonly WaitingCall[], text: string): Record<string, unknown> {
  const asked = meantBy(name, waiting);
  const schema = asked?.input_schema;
  const { answer } = ((typeof schema === "object" && schema.properties) || {}) as { answer?: { type?: unknown } };
  if (asked === undefined || asked.uid !== "person" || answer === undefined) {
    const what = asked === undefined ? "asks nothing, or more than one thing" : "asks whether it may be called";
    throw new CliError(CliErrorCode.USAGE, `Expected --answer for a question in words, but "${name}" ${what}.`, {
      hint: "--input has a call made with another input.",
      details: { option: "--answer" },
    });
  }
  if (answer.type === undefined || answer.type === "string") return { ...asked.input, answer: text };
  try {
    return { ...asked.input, answer: JSON.parse(text) as unknown };
  } catch (cause) {
    throw new CliError(
      CliErrorCode.USAGE,
      `Expected --answer to be JSON (${String(answer.type)}), got ${text.slice(0, 100)}`,
      {
        details: { option: "--answer" },
        cause,
      },
    );
  }
}

function readOutput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new CliError(CliErrorCode.USAGE, `Expected --output to be JSON, got ${text.slice(0, 100)}`, {
      hint: `Text needs its own quotes: --output '"sent"'. A call that gave nothing: --output null.`,
      details: { option: "--output" },
      cause,
    });
  }
}

function readInput(text: string): Record<string, unknown> {
  try {
    const input: unknown = JSON.parse(text);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  } catch {
    // The error below says so.
  }
  throw new CliError(CliErrorCode.USAGE, `Expected --input to be a JSON object, got ${text.slice(0, 100)}`, {
    details: { option: "--input" },
  });
}

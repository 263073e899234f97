import type { Planloom, RunResult } from "planloom";
import type { Budget } from "planloom/runtime";
import { type Chat, findChat, listChats, newChat, saveChat } from "../chat/chat-file.ts";
import { ChatTerminal } from "../chat/chat-terminal.ts";
import { takeTurn } from "../chat/chat-turn.ts";
import { ChatView } from "../chat/chat-view.ts";
import { planToolsExecutor } from "../chat/plan-tools-executor.ts";
import { commandName } from "../command-name.ts";
import { askWhileWaiting } from "../confirmation.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { planStore } from "../home.ts";
import { type CliIo, writeJson } from "../io.ts";
import { readBudget } from "../options/budget.ts";
import { type ConfirmOptions, confirmGiven } from "../options/confirm.ts";
import { openSession, type Session, type SessionOptions } from "../session.ts";
import { plainLine, plainText, styleFor } from "../terminal/style.ts";

export interface ChatCommandOptions extends SessionOptions, ConfirmOptions {
  /** Continues the conversation whose id begins so; `true` for the newest one. */
  readonly resume?: string | true;
  /** Shows the conversations that are kept. */
  readonly list?: boolean;
  /** What the conversation and its plans may use: `calls=50,tokens=200000`. */
  readonly budget?: string;
  /** `--no-plan-tools` sets it to false. */
  readonly planTools?: boolean;
  readonly json?: boolean;
}

const help = `  /plan create GOAL, /plan list, /plan show|run|resume|delete ID, /plan answer ID STEP.ARGUMENT=VALUE
  /tools      what the model can call
  /budget     what is left of the budget
  /continue   asks again about calls that wait
  /new        a new conversation
  /exit       leaves (or Ctrl-D); Ctrl-C stops the answer that is being written
`;

/** `planloom chat`: a model with the session's tools and the plan tools. */
export async function chat(words: readonly string[], options: ChatCommandOptions, io: CliIo): Promise<number> {
  if (options.list === true) return list(options, io);
  const budget = options.budget === undefined ? undefined : readBudget(options.budget);
  const begun = options.resume === undefined ? newChat() : await findChat(options.resume, io);
  if (budget !== undefined) begun.budget = budget;
  const tenant = `chat ${begun.chat_id}`;
  const instance = begun.budget && { tenants: { [tenant]: { budgets: { total: leftOf(begun.budget, begun.used) } } } };
  await using session = await openSession(options, io, { journal: true, ...(instance && { instance }) });
  if (!session.hasModel) {
    throw new CliError(CliErrorCode.USAGE, "A chat needs a model.", {
      hint: "Set OPENAI_API_KEY and PLANLOOM_MODEL (OPENAI_BASE_URL for another endpoint), or give --model NAME or --model local:NAME.",
    });
  }
  const conversation = new Conversation(begun, tenant, session, options, io);
  return words.length > 0 ? await conversation.answerOnce(words.join(" ")) : await conversation.talk();
}

/** What may still be used of a budget. */
function leftOf(budget: Budget, used: Chat["used"]): Budget {
  const left = amountsOf(budget).map(([unit, limit]) => [unit, Math.max(0, limit - (used[unit] ?? 0))]);
  return Object.fromEntries(left) as Budget;
}

async function list({ json }: ChatCommandOptions, io: CliIo): Promise<number> {
  const chats = await listChats(io);
  if (json === true)
    writeJson(
      io,
      chats.map(({ chat_id, title, updated_at }) => ({ chat_id, title, updated_at })),
    );
  else if (chats.length === 0) io.stdout.write("No conversations yet.\n");
  else for (const each of chats) io.stdout.write(`${each.chat_id}  ${each.updated_at}  ${plainLine(each.title)}\n`);
  return ExitCode.DONE;
}

/** One conversation in a terminal or a pipe. */
class Conversation {
  readonly #chat: Chat;
  readonly #tenant: string;
  readonly #session: Session;
  readonly #options: ChatCommandOptions;
  readonly #io: CliIo;
  readonly #style;
  #terminal: ChatTerminal | undefined;

  constructor(chat: Chat, tenant: string, session: Session, options: ChatCommandOptions, io: CliIo) {
    this.#chat = chat;
    this.#tenant = tenant;
    this.#session = session;
    this.#options = options;
    this.#io = io;
    this.#style = styleFor(io.stdout, io.env);
  }

  /** One message, and the answer to it. */
  async answerOnce(text: string): Promise<number> {
    const { json = false } = this.#options;
    const { code, result, said } = await this.#turn(text, this.#io.signal, json);
    if (json) {
      const { run_id, end_reason, usage } = result;
      writeJson(this.#io, { chat_id: this.#chat.chat_id, run_id, end_reason, text: said ?? null, usage });
    }
    return code;
  }

  /** Answers line after line, until there are no more. */
  async talk(): Promise<number> {
    const terminal = new ChatTerminal(this.#io);
    this.#terminal = terminal;
    if (terminal.isInteractive) this.#greet();
    let code: number = ExitCode.DONE;
    try {
      for (;;) {
        const line = await terminal.read("> ");
        if (line === undefined || /^\/(exit|quit)$/.test(line.trim())) break;
        if (line.trim() === "") continue;
        code = await this.#answer(line.trim(), terminal);
        if (this.#io.signal.aborted) break;
      }
    } finally {
      terminal.close();
      this.#terminal = undefined;
    }
    if (this.#chat.messages.length > 0)
      this.#io.stderr.write(`${commandName(this.#io)} chat --resume ${this.#chat.chat_id}\n`);
    // A person who leaves has seen what became of each message.
    if (this.#io.signal.aborted) return ExitCode.INTERRUPTED;
    return terminal.isInteractive ? ExitCode.DONE : code;
  }

  #greet(): void {
    const { notes, wired, planloom } = this.#session;
    const { title } = this.#chat;
    const about = [`${wired.model?.name}, ${planloom.resources.length} tools`, ...notes];
    if (title !== "") about.push(`continues: ${title}`);
    if (this.#chat.pending !== undefined) about.push("The last answer waits for you: /continue asks about it.");
    this.#io.stdout.write(`${about.map((line) => this.#style.paint("dim", plainLine(line))).join("\n")}\n`);
    this.#io.stdout.write(this.#style.paint("dim", "/help shows the commands.\n"));
  }

  /** A command or a message. Ctrl-C stops it. What goes wrong with it is printed, and the conversation continues. */
  async #answer(line: string, terminal: ChatTerminal): Promise<number> {
    const stop = new AbortController();
    terminal.onInterrupt = () => stop.abort(new DOMException("Interrupted by Ctrl-C", "AbortError"));
    const signal = AbortSignal.any([stop.signal, this.#io.signal]);
    try {
      if (line.startsWith("/")) return await this.#command(line, signal);
      return (await this.#turn(line, signal, false)).code;
    } catch (error) {
      if (signal.aborted) this.#io.stdout.write("\nStopped.\n");
      else this.#io.stdout.write(`${this.#style.paint("red", plainText((error as Error).message))}\n`);
      return signal.aborted ? ExitCode.CANCELLED : ExitCode.FAILED;
    } finally {
      terminal.onInterrupt = undefined;
    }
  }

  async #command(line: string, signal: AbortSignal): Promise<number> {
    const [name = "", ...rest] = line.slice(1).split(/\s+/);
    const { stdout } = this.#io;
    switch (name) {
      case "help":
        stdout.write(help);
        return ExitCode.DONE;
      case "tools":
        for (const { id, description } of this.#session.planloom.resources)
          stdout.write(`  ${plainLine(id)}  ${this.#style.paint("dim", plainLine(description).slice(0, 100))}\n`);
        return ExitCode.DONE;
      case "budget":
        stdout.write(`${this.#budgetText()}\n`);
        return ExitCode.DONE;
      case "new":
        Object.assign(this.#chat, {
          ...newChat(),
          budget: this.#chat.budget,
          used: this.#chat.used,
          pending: undefined,
        });
        stdout.write("A new conversation.\n");
        return ExitCode.DONE;
      case "continue": {
        const { pending } = this.#chat;
        if (pending === undefined) {
          stdout.write("Nothing waits.\n");
          return ExitCode.DONE;
        }
        return (await this.#turn(pending.text, signal, false, pending.run_id)).code;
      }
      case "plan":
        return this.#plan(rest.join(" "), signal);
      default: {
        const { nearestNames } = await import("planloom/plan");
        const known = ["plan", "tools", "budget", "continue", "new", "help", "exit"];
        const [nearest] = nearestNames(name, known).names;
        const hint = nearest === undefined ? "/help shows the commands." : `Did you mean /${nearest}?`;
        stdout.write(`Unknown command /${plainLine(name)}. ${hint}\n`);
        return ExitCode.USAGE;
      }
    }
  }

  async #plan(line: string, signal: AbortSignal): Promise<number> {
    const { handlePlanCommand } = await import("planloom/plan-tools");
    const view = new ChatView((text) => this.#io.stdout.write(text), this.#style);
    const { text, run } = await handlePlanCommand(line, {
      planloom: this.#session.planloom,
      plans: await planStore(this.#io),
      tenant: this.#tenant,
      signal,
      onEvent: view.hear,
      settle: (result) => this.#settlePlan(result, signal),
    });
    await this.#save();
    this.#io.stdout.write(`${plainText(text)}\n`);
    if (run === undefined) return ExitCode.DONE;
    const ids = run.plan.outputs === undefined && new Set(run.plan.planned_tasks.map(({ task_id }) => task_id));
    for (const [name, output] of Object.entries(run.output_data).filter(([name]) => ids === false || ids.has(name)))
      this.#io.stdout.write(`${plainLine(name)}: ${plainText(JSON.stringify(output, null, 2))}\n`);
    return run.end_reason === "completed" ? ExitCode.DONE : ExitCode.FAILED;
  }

  async #turn(
    text: string,
    signal: AbortSignal,
    isSilent: boolean,
    runId?: string,
  ): Promise<{ readonly code: number; readonly result: RunResult; readonly said: string | undefined }> {
    const view = new ChatView((shown) => void (isSilent || this.#io.stdout.write(shown)), this.#style);
    const {
      result,
      text: said,
      messages,
    } = await takeTurn(
      text,
      this.#chat,
      {
        session: this.#session,
        tenant: this.#tenant,
        executors: await this.#executors(signal),
        confirm: this.#confirm(),
        onEvent: view.hear,
        signal,
        settle: (first, resume) => this.#ask(first, resume, signal),
      },
      runId,
    );
    view.endText();
    const { end_reason } = result;
    const isWaiting = end_reason === "waiting_approval" || end_reason === "waiting";
    this.#chat.pending = isWaiting ? { run_id: result.run_id, text } : undefined;
    if (said !== undefined) this.#chat.messages.push(...messages);
    // What was said until the person stopped it is part of the conversation.
    else if (signal.aborted && view.text !== "")
      this.#chat.messages.push(...messages, { role: "assistant", content: `${view.text}\n[stopped by the user]` });
    if (this.#chat.title === "") this.#chat.title = text.slice(0, 80);
    await this.#save();
    if (!isSilent) this.#tellEnd(result, signal);
    return { code: codeOf(result, this.#io), result, said };
  }

  /** Says why there is no answer, and what to do. */
  #tellEnd(result: RunResult, signal: AbortSignal): void {
    const { stdout } = this.#io;
    const { end_reason, results, run_id } = result;
    if (end_reason === "completed") return;
    if (signal.aborted) stdout.write("Stopped.\n");
    else if (end_reason === "waiting_approval") {
      const how = this.#terminal?.isInteractive === true ? "/continue asks again." : "A person answers on a terminal:";
      stdout.write(`The answer waits for calls to be approved. ${how}\n`);
      if (this.#terminal?.isInteractive !== true)
        stdout.write(
          `  ${commandName(this.#io)} chat --resume ${this.#chat.chat_id}, then /continue (run ${run_id})\n`,
        );
    } else {
      const message = results[0]?.error?.message ?? end_reason;
      stdout.write(`${this.#style.paint("red", plainText(message))}\n`);
      if (results[0]?.error?.code === "TASK_BUDGET") stdout.write(`${this.#budgetText()}\n`);
    }
  }

  async #executors(signal: AbortSignal) {
    const { toolExecutor, workflowExecutor } = await import("planloom/runtime");
    const { wired, planloom } = this.#session;
    const { tools = [], workflows = [], executors = [] } = wired;
    const all = [...executors];
    if (tools.length > 0) all.push(toolExecutor(tools));
    if (workflows.length > 0) all.push(workflowExecutor(workflows));
    if (this.#options.planTools !== false) {
      all.push(
        planToolsExecutor({
          planloom,
          plans: await planStore(this.#io),
          tenant: this.#tenant,
          confirm: this.#confirm(),
          settle: (result) => this.#settlePlan(result, signal),
        }),
      );
    }
    return all.map((executor) => planloom.telemetry?.executor(executor) ?? executor);
  }

  /** Nobody has seen what a model decides to do. */
  #confirm() {
    return confirmGiven(this.#options) ?? this.#session.planloom.confirm ?? "writes";
  }

  #settlePlan(result: RunResult, signal: AbortSignal): Promise<RunResult> {
    const { planloom } = this.#session;
    return this.#ask(result, () => planloom.resume(result.run_id, { signal, tenant: this.#tenant }), signal);
  }

  #ask(first: RunResult, resume: () => Promise<RunResult>, signal: AbortSignal): Promise<RunResult> {
    const terminal = this.#terminal;
    // In a single turn the terminal is that of the command.
    const ask = terminal === undefined ? this.#io.ask : (question: string) => terminal.ask(question, signal);
    const { ask: _, ...io } = this.#io;
    const isThere = terminal === undefined ? ask !== undefined : terminal.isInteractive;
    return askWhileWaiting(first, this.#session, { ...io, signal, ...(isThere && ask && { ask }) }, resume);
  }

  #budgetText(): string {
    const { budget } = this.#chat;
    if (budget === undefined) return "No budget is set: --budget calls=50,tokens=200000 sets one.";
    const used = this.#used();
    const parts = amountsOf(budget).map(([unit, limit]) => `${used[unit] ?? 0} of ${limit} ${unit}`);
    return `Used by the conversation and its plans: ${parts.join(", ")}.`;
  }

  #used(): Chat["used"] {
    const { budget = {}, used } = this.#chat;
    const left = leftOfTenant(this.#session.planloom, this.#tenant);
    const now = amountsOf(budget).map(([unit, limit]) => [unit, limit - (left.get(unit) ?? limit - (used[unit] ?? 0))]);
    return Object.fromEntries(now) as Chat["used"];
  }

  async #save(): Promise<void> {
    this.#chat.used = this.#used();
    if (this.#chat.messages.length > 0 || this.#chat.pending !== undefined) await saveChat(this.#chat, this.#io);
  }
}

/** The units that a budget limits, with their limits. */
const amountsOf = (budget: Budget): [keyof Budget, number][] =>
  Object.entries(budget).filter((entry): entry is [keyof Budget, number] => entry[1] !== undefined);

const leftOfTenant = (planloom: Planloom, tenant: string): Map<string, number> =>
  new Map(planloom.limits.budgetsLeft(tenant).map(({ unit, left }) => [unit, left]));

function codeOf({ end_reason }: RunResult, io: CliIo): number {
  if (io.signal.aborted) return ExitCode.INTERRUPTED;
  if (end_reason === "completed") return ExitCode.DONE;
  if (end_reason === "cancelled") return ExitCode.CANCELLED;
  return end_reason === "waiting_approval" || end_reason === "waiting" ? ExitCode.WAITING : ExitCode.FAILED;
}

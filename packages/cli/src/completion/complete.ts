import type { Command, Option } from "commander";
import { findRun } from "../commands/recorded-runs.ts";
import type { CliIo } from "../io.ts";
import { knownIds } from "../known-ids.ts";
import { findPlan } from "../target.ts";
import { valueKinds } from "./value-kinds.ts";

/** What a shell offers in the place of a word that is being typed. */
export interface Completion {
  readonly candidates: readonly Candidate[];
  /** What the shell adds of its own. */
  readonly paths: "none" | "files" | "folders";
}

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

const nothing: Completion = { candidates: [], paths: "none" };

/**
 * The possible values of the last word. They are read from the table of commands that the command line itself uses, so that a new command or option is offered
 * at once.
 * @param words of the line after the name of the program; the last one is being typed, and may be empty
 */
export async function complete(words: readonly string[], program: Command, io: CliIo): Promise<Completion> {
  const joined = joinAssignments(words);
  const current = joined.at(-1) ?? "";
  const { command, given, waitsForValue, isPastOptions } = readLine(joined.slice(0, -1), program);
  const found = await offered();
  return { ...found, candidates: found.candidates.filter(({ value }) => value.startsWith(current)) };

  async function offered(): Promise<Completion> {
    if (waitsForValue !== undefined) return ofOption(waitsForValue, given, io);
    if (current.startsWith("-") && !isPastOptions) {
      const at = current.indexOf("=");
      if (at === -1) return { ...nothing, candidates: optionsOf(command, program) };
      const option = findOption(command, program, current.slice(0, at));
      if (option === undefined) return nothing;
      const values = await ofOption(option, given, io);
      const candidates = values.candidates.map(({ value, about }) => ({
        value: `${current.slice(0, at)}=${value}`,
        about,
      }));
      return { ...values, candidates };
    }
    if (command.commands.length > 0 && given.length === 0) return { ...nothing, candidates: commandsOf(command) };
    const taken = command.registeredArguments;
    const argument = taken[given.length] ?? (taken.at(-1)?.variadic === true ? taken.at(-1) : undefined);
    return argument === undefined ? nothing : ofValue(argument.name(), argument.argChoices, given, io);
  }
}

/** Bash hands `--format=dot` over as three words. */
function joinAssignments(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const [at, word] of words.entries()) {
    const last = joined.at(-1);
    const isValue = words[at - 1] === "=" && at > 1;
    if (last?.startsWith("--") === true && (word === "=" || isValue)) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

interface ReadLine {
  readonly command: Command;
  /** Arguments before the word that is typed. */
  readonly given: readonly string[];
  /** The option whose value the word is. */
  readonly waitsForValue: Option | undefined;
  readonly isPastOptions: boolean;
}

function readLine(words: readonly string[], program: Command): ReadLine {
  let command = program;
  let waitsForValue: Option | undefined;
  let isPastOptions = false;
  const given: string[] = [];
  for (const word of words) {
    if (waitsForValue !== undefined) waitsForValue = undefined;
    else if (isPastOptions || !word.startsWith("-") || word === "-") {
      const next = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next === undefined) given.push(word);
      else command = next;
    } else if (word === "--") isPastOptions = true;
    else if (!word.includes("=")) {
      const option = findOption(command, program, word);
      if (option?.required === true) waitsForValue = option;
    }
  }
  return { command, given, waitsForValue, isPastOptions };
}

function findOption(command: Command, program: Command, name: string): Option | undefined {
  return allOptions(command, program).find(({ long, short }) => long === name || short === name);
}

function allOptions(command: Command, program: Command): readonly Option[] {
  const { options } = command;
  return command === program ? options : [...options, ...program.options];
}

function optionsOf(command: Command, program: Command): Candidate[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  const candidates = own.map(({ long, short, description }) => ({ value: long ?? short ?? "", about: description }));
  const help = { value: "--help", about: command === program ? "show the commands" : "show what it takes" };
  return [...candidates, help];
}

function commandsOf(command: Command): Candidate[] {
  const { commands } = command;
  const visible = command.createHelp().visibleCommands(command);
  return [
    ...commands.filter((each) => visible.includes(each)),
    ...visible.filter((each) => !commands.includes(each)),
  ].map((each) => ({
    value: each.name(),
    about: each.summary() || each.description(),
  }));
}

function ofOption(option: Option, given: readonly string[], io: CliIo): Promise<Completion> {
  const name = /[<[]([^>\]]*?)(?:\.\.\.)?[>\]]/.exec(option.flags)?.[1] ?? "";
  return ofValue(name, option.argChoices, given, io);
}

/** @param name of the argument, or of the option's value */
async function ofValue(
  name: string,
  choices: readonly string[] | undefined,
  given: readonly string[],
  io: CliIo,
): Promise<Completion> {
  if (choices !== undefined) return { ...nothing, candidates: choices.map((value) => ({ value, about: "" })) };
  const kinds = valueKinds(name);
  const ids = await knownIds(
    (["plans", "runs"] as const).filter((kind) => kinds.includes(kind)),
    io,
  );
  const tasks = kinds.includes("tasks") ? await tasksOf(given[0], io) : [];
  return {
    candidates: [...ids.map(({ id, about }) => ({ value: id, about })), ...tasks],
    paths: kinds.includes("files") ? "files" : kinds.includes("folders") ? "folders" : "none",
  };
}

/** Tasks of the run or plan that the line names. */
async function tasksOf(name: string | undefined, io: CliIo): Promise<Candidate[]> {
  if (name === undefined) return [];
  const plan = await findRun(name, io)
    .then(async (run) => run?.plan ?? (await findPlan(name, io)).plan)
    .catch(() => undefined);
  return (plan?.planned_tasks ?? []).map(({ task_id, title, description }) => ({
    value: task_id,
    about: title ?? description,
  }));
}

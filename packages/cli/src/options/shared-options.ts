import { type Command, InvalidArgumentError, Option } from "commander";
import { readTime } from "planloom/plan";
import type { ReplanWhen } from "planloom/runtime";
import { planChecks } from "../choose-controller.ts";
import { logLevels } from "../line-logger.ts";
import { isQueueName, maxWorkers } from "../workers.ts";

export const collect = (value: string, all: string[] = []): string[] => [...all, value];

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError(`Expected a whole number of at least 1, got "${text}".`);
  return value;
}

/** A number; above 0 where it is `positive`. */
export function numberOf(check: "number" | "positive"): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (Number.isFinite(value) && (check === "number" || value > 0)) return value;
    throw new InvalidArgumentError(`Expected a number${check === "positive" ? " above 0" : ""}, got "${text}".`);
  };
}

/** A point in time. */
export function timeOf(text: string): string {
  if (readTime(text) !== undefined) return text;
  const expected = "Expected a date, a time and a zone in ISO 8601 (2026-12-01T09:00:00Z)";
  throw new InvalidArgumentError(`${expected}, got "${text}".`);
}

export function workerCount(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= maxWorkers) return value;
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${maxWorkers}, got "${text}".`);
}

export function queueName(text: string): string {
  if (isQueueName(text)) return text;
  throw new InvalidArgumentError(
    `Expected a name of letters, digits, dots, dashes and underscores (at most 100), got "${text}".`,
  );
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError(`Expected a whole number of at least 0, got "${text}".`);
}

/** A port of this machine; 0 is any that is free. */
export function portNumber(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError(`Expected a port, a whole number from 0 to 65535, got "${text}".`);
}

export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError(`Expected a number above 0, got "${text}".`);
  return value;
}

/** So many in so many seconds: `600/60`. */
export function rate(text: string): { readonly limit: number; readonly intervalMs: number } {
  const [, limit, seconds] = /^(\d{1,9})\/(\d{1,9}(?:\.\d{1,3})?)$/.exec(text) ?? [];
  if (Number(limit) >= 1 && Number(seconds) > 0) return { limit: Number(limit), intervalMs: Number(seconds) * 1_000 };
  throw new InvalidArgumentError(`Expected a number of requests and of seconds, such as 600/60, got "${text}".`);
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError(`Expected a number from 0 to 1, got "${text}".`);
  return value;
}

export function nonNegative(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0)
    throw new InvalidArgumentError(`Expected a number of at least 0, got "${text}".`);
  return value;
}

export const words = (text: string): string[] => text.split(",").map((word) => word.trim());
export const numbers = (text: string): number[] => words(text).map(nonNegative);
export const counts = (text: string): number[] => words(text).map(positiveInteger);

export const jsonOption = () => new Option("--json", "print JSON alone on standard output");
export const mcpOption = () =>
  new Option("--mcp <file>", "MCP servers, an mcpServers map; may be given again").argParser(collect);
export const configOption = () =>
  new Option("--config <file>", "configuration (default: planloom.config.ts here, if there is one)");
export const noConfigOption = () => new Option("--no-config", "no configuration, not even that of this folder");
/** Options of commands that resume a recorded run. */
export const trustJournalOption = () =>
  new Option("--trust-journal", "start the servers, configuration and controller that the journal alone names");
export const maxRoundsOption = () =>
  new Option("--max-rounds <n>", "loop: rounds of executing and replanning at most (default: 10)").argParser(
    positiveInteger,
  );
/** Whether a person is asked, for commands that plan. */
export const askOption = () =>
  new Option("--ask", "ask for what is missing, by standard input if need be (default: where that is a terminal)");
export const noAskOption = () => new Option("--no-ask", "ask nobody, not at a terminal either");
/** When a loop replans: `always`, `failure`, `every=N`. */
export function replanWhen(text: string): ReplanWhen {
  if (text === "always" || text === "failure") return text;
  const every = text.startsWith("every=") ? Number(text.slice("every=".length)) : Number.NaN;
  if (!Number.isInteger(every) || every < 1)
    throw new InvalidArgumentError(`Expected always, failure or every=N, got "${text}".`);
  return { every };
}

export const modelOption = () =>
  new Option(
    "--model <name>",
    "model of an OpenAI-compatible endpoint (OPENAI_API_KEY, OPENAI_BASE_URL), or local:NAME",
  );

/** Options that are in no group of their own, and `--help`. */
export const otherOptions = "Options:";

/** How that model is asked; for every command that has `--model`. */
export function addModelOptions(command: Command): Command {
  return command
    .optionsGroup("Model:")
    .addOption(modelOption())
    .addOption(
      new Option(
        "--model-api <protocol>",
        "what the endpoint speaks: chat completions or OpenAI's Responses API (default: chat)",
      ).choices(["chat", "responses"]),
    )
    .addOption(
      new Option(
        "--model-timeout <seconds>",
        "longest time of a model call, retries included (default: 180)",
      ).argParser(positiveNumber),
    )
    .addOption(new Option("--max-tokens <n>", "longest answer of the model, in tokens").argParser(positiveInteger))
    .addOption(new Option("--temperature <n>", "temperature of the model, from 0").argParser(nonNegative))
    .addOption(
      new Option(
        "--reasoning-effort <effort>",
        "how much a model thinks that can: none, minimal, low, medium, high, xhigh, max, or another word of its endpoint",
      ),
    )
    .addOption(
      new Option("--structured-output <form>", "how the model is asked for JSON first (default: json_schema)").choices([
        "json_schema",
        "tool",
        "text",
      ]),
    )
    .optionsGroup(otherOptions);
}

/** Where tools come from and who answers: for every command that plans, binds or asks a model. */
export function addSessionOptions(command: Command): Command {
  return addModelOptions(
    command
      .optionsGroup("Tools and planner:")
      .addOption(mcpOption())
      .addOption(configOption())
      .addOption(noConfigOption())
      .option("--controller <who>", "embedded, llm, hybrid or the URL of a Behavior Controller")
      .addOption(
        new Option(
          "--min-confidence <n>",
          "hybrid: no model is asked where the draft is this sure of itself, 0 to 1 (default: 0.3)",
        ).argParser(share),
      )
      .addOption(
        new Option("--prefer <side>", "hybrid: whose calls are taken where the two differ (default: draft)").choices([
          "draft",
          "model",
        ]),
      )
      .addOption(
        new Option("--plan-check <how>", "llm: who says that a goal cannot be done (default: doubted)").choices([
          ...planChecks,
        ]),
      )
      .addOption(
        new Option("--log <level>", "write what happens to standard error, as lines of JSON").choices([...logLevels]),
      ),
  );
}

export function addPlanningOptions(command: Command): Command {
  const planning = addSessionOptions(command)
    .optionsGroup("How a goal is planned:")
    .option("--job <file>", "a job in YAML or JSON: job_goal, job_objectives, job_steerability_data");
  const chosen = addPlanChoiceOptions(planning).option(
    "--instructions <text>",
    "how the goal is to be planned, in words; only models read them",
  );
  return addClockOptions(chosen).optionsGroup(otherOptions);
}

/** How one of several plans is chosen, for every command that plans a goal. */
export function addPlanChoiceOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--candidates <n>", "plans to make and compare, where a model plans (default: 1)").argParser(
        positiveInteger,
      ),
    )
    .option("--memory", "reuse the plan of a completed run whose goal is like this one")
    .option("--no-memory", "reuse none, whatever the configuration says");
}

/** What words such as "today" mean. */
export function addClockOptions(command: Command): Command {
  return command
    .option("--now <date>", 'the moment "today" refers to, ISO 8601 (default: now)')
    .option("--time-zone <name>", "IANA name, for example Europe/Berlin (default: this machine's)");
}

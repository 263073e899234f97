import { type Command, Option } from "commander";
import type { ListRunsOptions, RunStatus } from "planloom/runtime";
import { CliError, CliErrorCode } from "../errors.ts";
import { readAge } from "./age.ts";

export interface RunFilterOptions {
  readonly status?: readonly RunStatus[];
  readonly planId?: string;
  readonly tenant?: string;
  readonly title?: string;
  readonly metadata?: readonly string[];
  readonly newerThan?: string;
}

// All of them, by type: `--help` does not load the runtime for its list of statuses.
const statuses = Object.keys({
  running: true,
  interrupted: true,
  waiting_approval: true,
  waiting: true,
  completed: true,
  failed: true,
  cancelled: true,
  drained: true,
  shut_down: true,
  denied: true,
  budget: true,
  round_limit: true,
  stalled: true,
} satisfies Record<RunStatus, true>);

/** Adds the options that select runs. */
export function addRunFilter(command: Command): Command {
  const collect = (value: string, before: readonly string[] = []) => [...before, value];
  return command
    .addOption(new Option("--status <status...>", "runs of these statuses alone").choices(statuses))
    .option("--plan-id <id>", "runs of this plan alone")
    .option("--tenant <key>", "runs that count for this tenant alone")
    .option("--title <text>", "runs whose title contains TEXT, in capitals or not")
    .option("--metadata <name=value>", "runs with this in their metadata, JSON or text; may be given again", collect)
    .option("--newer-than <age>", "runs that were begun within this time: 12h, 7d");
}

/** @throws CliError USAGE */
export function readRunFilter(options: RunFilterOptions): ListRunsOptions {
  const { status, planId, tenant, title, newerThan } = options;
  const metadata = (options.metadata ?? []).map((pair) => readPair(pair));
  return {
    ...(status !== undefined && { status }),
    ...(planId !== undefined && { planId }),
    ...(tenant !== undefined && { tenant }),
    ...(title !== undefined && { title }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    ...(newerThan !== undefined && { createdAfter: Date.now() - readAge("--newer-than", newerThan) }),
  };
}

function readPair(pair: string): [string, string | number | boolean | null] {
  const at = pair.indexOf("=");
  if (at < 1) {
    throw new CliError(CliErrorCode.USAGE, `--metadata: expected name=value, got ${JSON.stringify(pair)}.`, {
      details: { option: "--metadata" },
    });
  }
  const text = pair.slice(at + 1);
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value === "number" || typeof value === "boolean" || typeof value === "string")
      return [pair.slice(0, at), value];
  } catch {
    // A text without quotes.
  }
  return [pair.slice(0, at), text];
}

import { type OptionChecks, planTitle, renderAscii, type TaskData } from "@planloom/plan";
import type { RunEvent, RunResult } from "@planloom/runtime";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanStore } from "./plan-store.ts";
import type { Planloom } from "./planloom.ts";
import type { PlanloomRunOptions } from "./planloom-options.ts";

export type PlanAction = "create" | "answer" | "list" | "show" | "run" | "delete" | "resume";

/** A chat's `/plan` line after it was read. */
export interface PlanCommand {
  readonly action: PlanAction;
  /** Of `create`: what the plan is for. */
  readonly description?: string;
  /** Of the others: id of the plan, or the beginning of one, as a person types it. */
  readonly planId?: string;
  readonly dryRun?: boolean;
  /** Of `answer`: what is typed for each argument, by name. */
  readonly answers?: Readonly<Record<string, string>>;
}

export interface PlanCommandOptions {
  readonly planloom: Planloom;
  readonly plans: PlanStore;
  /** The tenant that the runs count for; see `PlanToolOptions.tenant`. @default none */
  readonly tenant?: PlanloomRunOptions["tenant"];
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** See `PlanToolOptions.settle`. */
  readonly settle?: ((result: RunResult) => Promise<RunResult>) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const checks = {
  planloom: { required: "object" },
  plans: { required: "object" },
  tenant: { either: ["name", "object"] },
  onEvent: "function",
  settle: "function",
  signal: "signal",
} as const satisfies OptionChecks<PlanCommandOptions>;

/** The result of the command: text for the chat, and the result of the run if there was one. */
export interface PlanCommandResult {
  readonly text: string;
  readonly run?: RunResult;
}

/** Plans shown of a list; each is read for its title. */
const mostListed = 50;

const withId = new Set<string>(["show", "run", "delete", "resume"]);

/**
 * Reads what follows `/plan` in a chat (mcp-cli): `create <description>`, `list`, `show | run | delete | resume <id>`, `answer <id> <step.argument>=<value> …`, with
 * `--dry-run` anywhere after `run`. An empty line means `list`.
 * @throws PlanloomError COMMAND, its message for the person who typed it
 */
export function parsePlanCommand(text: string): PlanCommand {
  const [action = "list", ...words] = text
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  if (action === "list") return { action };
  if (action === "create") {
    const description = words.join(" ");
    if (description === "") throw refused("Description required. Usage: /plan create <description>");
    return { action, description };
  }
  if (action === "answer") return parseAnswer(words);
  if (!withId.has(action)) {
    throw refused(`Unknown action: ${action}. Use create, list, show, run, delete, or resume.`);
  }
  const [planId] = words.filter((word) => !word.startsWith("--"));
  if (planId === undefined) throw refused(`Plan ID required. Usage: /plan ${action} <id>`);
  const dryRun = action === "run" && words.some((word) => word === "--dry-run" || word === "--simulate");
  return { action: action as PlanAction, planId, ...(dryRun ? { dryRun } : {}) };
}

/** `answer <id> TASK.ARGUMENT=VALUE …`; words without a sign belong to the value before. */
function parseAnswer([planId, ...words]: readonly string[]): PlanCommand {
  const answers = new Map<string, string>();
  let name = "";
  for (const word of words) {
    const at = word.search(/(?<=^[^=]*[.[][^=]*)=/);
    if (at > 0) name = word.slice(0, at);
    if (name === "") continue;
    answers.set(name, at > 0 ? word.slice(at + 1) : `${answers.get(name) ?? ""} ${word}`);
  }
  if (planId === undefined || answers.size === 0)
    throw refused("Plan ID and answers required. Usage: /plan answer <id> <step.argument>=<value> …");
  return { action: "answer", planId, answers: Object.fromEntries(answers) };
}

/** What a draft lacks, a line each, and how it is given. */
function questionLines(plan: TaskData, planloom: Planloom): string {
  const questions = planloom.questions(plan);
  if (questions.length === 0) return "";
  const lines = questions.map(
    ({ name, type, description }) => `  ${name} (${type})${description === "" ? "" : `: ${description}`}`,
  );
  const [first] = questions;
  return ["", "It lacks:", ...lines, `/plan answer ${plan.task_id} ${first?.name}=…`].join("\n");
}

/**
 * Carries out a `/plan` line. A run that is begun here has the id of its plan in the journal's metadata; `resume` continues
 * the newest run of the plan.
 * @throws PlanloomError OPTION; COMMAND for what the person must do otherwise; what planning and running throw
 */
export async function handlePlanCommand(text: string, options: PlanCommandOptions): Promise<PlanCommandResult> {
  checkOptions("`handlePlanCommand`", options, checks);
  const { planloom, plans, signal, onEvent, tenant, settle = (result) => Promise.resolve(result) } = options;
  const command = parsePlanCommand(text);
  switch (command.action) {
    case "create": {
      if (planloom.resources.length === 0) throw refused("No tools available. Connect to MCP servers first.");
      const plan = await planloom.draft(command.description ?? "", { signal });
      await plans.save(plan, signal === undefined ? {} : { signal });
      return { text: `Plan ${plan.task_id}\n${renderAscii(plan, {})}${questionLines(plan, planloom)}` };
    }
    case "list": {
      const saved = await plans.list();
      if (saved.length === 0) return { text: "No plans saved." };
      const lines = await Promise.all(
        saved.slice(0, mostListed).map(({ id }) =>
          plans.load(id).then(
            (plan) => `${id}  ${planTitle(plan)}`,
            () => id,
          ),
        ),
      );
      const more = saved.length > mostListed ? [`… and ${saved.length - mostListed} more`] : [];
      return { text: [...lines, ...more].join("\n") };
    }
    case "show":
      return { text: renderAscii(await find(command, options), {}) };
    case "answer": {
      const plan = planloom.answer(await find(command, options), command.answers ?? {}, { asText: true });
      await plans.save(plan, signal === undefined ? {} : { signal });
      return { text: `Plan ${plan.task_id}\n${renderAscii(plan, {})}${questionLines(plan, planloom)}` };
    }
    case "delete":
      return { text: `Deleted ${await plans.delete((await find(command, options)).task_id)}` };
    case "run": {
      const plan = await find(command, options);
      if (command.dryRun === true) return { text: JSON.stringify(planloom.dryRun(plan, { signal }).steps, null, 2) };
      return ended(
        await settle(await planloom.run(plan, { signal, onEvent, tenant, metadata: { plan_id: plan.task_id } })),
      );
    }
    case "resume": {
      const plan = await find(command, options).catch(() => undefined);
      const planId = plan?.task_id ?? command.planId ?? "";
      const runs = await (await planloom.journal()).listRuns({ limit: 1_000 });
      const run = runs.find((each) => each.plan_id === planId);
      if (run === undefined) throw refused(`No checkpoint found for plan ${planId}. Use /plan run instead.`);
      return ended(await settle(await planloom.resume(run.run_id, { signal, onEvent, tenant })));
    }
    default:
      return command.action satisfies never;
  }
}

/** The one plan whose id starts with what was typed; an exact id goes first. */
async function find({ planId = "" }: PlanCommand, { plans, signal }: PlanCommandOptions) {
  const fitting = (await plans.find?.(planId)) ?? [];
  if (fitting.length > 1) {
    const ids = fitting.slice(0, 5).map(({ id }) => id);
    throw refused(`Several plans start with ${planId}: ${ids.join(", ")}. Type more of the id.`);
  }
  try {
    return await plans.load(fitting[0]?.id ?? planId, signal === undefined ? {} : { signal });
  } catch (error) {
    if (error instanceof PlanloomError && error.code === PlanloomErrorCode.PLAN_NOT_FOUND) {
      throw refused(`Plan not found: ${planId}`, error);
    }
    throw error;
  }
}

function ended(run: RunResult): PlanCommandResult {
  const done = run.results.filter(({ status }) => status === "completed").length;
  return { text: `${done} of ${run.results.length} steps completed (${run.end_reason}), run ${run.run_id}`, run };
}

function refused(message: string, cause?: unknown): PlanloomError {
  return new PlanloomError(PlanloomErrorCode.COMMAND, message, cause === undefined ? {} : { cause });
}

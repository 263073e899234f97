import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import {
  type BehaviorController,
  HybridController,
  LlmController,
  type Model,
  type ModelReply,
  openaiModel,
} from "@planloom/controller";
import { EmbeddedController } from "@planloom/embedded";
import type { PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import { Planner, PlannerError, type PlannerEvent } from "@planloom/planner";
import { type ModelGoal, type PlannedGoal, readGoals } from "./models-data.ts";
import { markdownTable, surroundings, surroundingsText } from "./report.ts";

/**
 * How well a real model plans: `pnpm bench:models --data FOLDER --url URL --model NAME [--arm llm|hybrid|embedded …] [--items N]
 * [--from N] [--to N] [--half worked|held] [--journal FILE] [--replay FILE] [--jobs N] [--confidence N] [--prefer draft|model]`.
 *
 * N items (200 by default), spread evenly over the sets of the benchmark and over each set; where the folder holds `goals.json`, goals over real
 * servers. `--from` and `--to` take a part of them, counted from 1: those that nobody has looked at. `--confidence` is the least of a draft that is the plan (`minConfidence` of hybrid planning), `--prefer` whose calls are taken. Every result is a line of the journal;
 * a bench that is started again with the same journal goes on where it stopped; it stops where the endpoint does not answer. "Valid at once" are plans of the first answer. Tokens are
 * those that the endpoint counts. With `--replay`, the answers are those of the arm `llm` in another journal, read anew: no endpoint is asked,
 * and goals without an answer there are left out.
 */
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    url: { type: "string", default: process.env.OPENAI_BASE_URL ?? "" },
    model: { type: "string", default: process.env.PLANLOOM_MODEL ?? "" },
    arm: { type: "string", multiple: true, default: ["llm"] },
    items: { type: "string", default: "200" },
    from: { type: "string", default: "1" },
    to: { type: "string" },
    half: { type: "string" },
    journal: { type: "string" },
    replay: { type: "string" },
    jobs: { type: "string", default: "1" },
    confidence: { type: "string" },
    prefer: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const count = Number(options.items);
const [from, to] = [Number(options.from), Number(options.to ?? options.items)];
const jobs = Number(options.jobs);
/** Characters of an answer that the journal keeps. */
const maxAnswer = 20_000;
/** Of one call of a model, in milliseconds. */
const patienceMs = 900_000;
const known = ["embedded", "llm", "hybrid"];
if (
  options.data === undefined ||
  !(count >= 1) ||
  !(from >= 1 && to >= from) ||
  !(jobs >= 1) ||
  options.arm.some((arm) => !known.includes(arm)) ||
  (options.replay === undefined &&
    options.arm.some((arm) => arm !== "embedded") &&
    (options.url === "" || options.model === ""))
) {
  process.stderr.write(
    "usage: pnpm bench:models --data FOLDER --url URL --model NAME [--arm llm|hybrid|embedded …] [--items N] [--from N] [--to N] [--journal FILE] [--replay FILE] [--jobs N]\n",
  );
  process.exit(2);
}

interface Outcome extends PlannedGoal {
  readonly arm: string;
  readonly set: string;
  readonly attempts: number;
  readonly calls: number;
  readonly sent: number;
  readonly written: number;
  readonly ms: number;
  readonly error?: string;
  /** The planner's own number for the whole plan. */
  readonly confidence?: number;
  /** What the model wrote, an answer a text. */
  readonly answers?: readonly string[];
}

/** What a model wrote for a goal, by the goal's id. */
const recorded =
  options.replay === undefined
    ? undefined
    : new Map(
        readJournal(options.replay)
          .filter(({ arm }) => arm === "llm")
          .map(({ id, answers }) => [id, answers ?? []]),
      );
const all = await readGoals(options.data, count, options.half);
const part = all.goals.slice(from - 1, to);
if (part.length === 0) {
  process.stderr.write(
    `Expected the sets of a benchmark, or goals.json, in ${options.data}: there is no item ${from} to ${to}.\n`,
  );
  process.exit(2);
}
const data = { ...all, goals: recorded === undefined ? part : part.filter(({ id }) => recorded.has(id)) };
const outcomes: Outcome[] = readJournal(options.journal);
const done = new Set(outcomes.map(({ arm, id }) => `${arm} ${id}`));
for (const arm of options.arm) {
  const waiting = data.goals.filter(({ id }) => !done.has(`${arm} ${id}`));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await plan(arm, next);
      if (isUnanswered(outcome)) {
        process.stderr.write(
          `${next.id}: ${outcome.error}\nNothing is recorded of it; the same command with a journal takes up here.\n`,
        );
        process.exit(1);
      }
      outcomes.push(outcome);
      if (options.journal !== undefined) appendFileSync(options.journal, `${JSON.stringify(outcome)}\n`);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
}
const rows = options.arm.map((arm) => rowOf(arm, outcomes));
process.stdout.write(
  options.json
    ? `${JSON.stringify(rows)}\n`
    : `${markdownTable(rows)}\n\n${data.goals.length} goals; ${options.model}. ${surroundingsText(surroundings())}\n`,
);

/** The endpoint was asked and gave no answer at all, which says nothing of the model. */
function isUnanswered({ calls, answers, error }: Outcome): boolean {
  return error !== undefined && calls > 0 && answers === undefined && options.replay === undefined;
}

function controllerOf(arm: string, id: string): BehaviorController {
  const embedded = () => new EmbeddedController({ now: data.now, timeZone: data.timeZone });
  if (arm === "embedded") return embedded();
  const { url, model: name, confidence, prefer } = options;
  const model =
    recorded === undefined
      ? openaiModel({
          baseURL: url,
          model: name,
          apiKey: process.env.OPENAI_API_KEY ?? "none",
          timeoutMs: patienceMs,
          // A busy machine may write nothing for minutes.
          idleTimeoutMs: patienceMs,
        })
      : recordedModel(recorded.get(id) ?? []);
  // As the command line has it: a model alone has rules beside it.
  return arm === "llm"
    ? new LlmController({ model, rules: embedded() })
    : new HybridController({
        draft: embedded(),
        refine: new LlmController({ model }),
        ...(confidence !== undefined && { minConfidence: Number(confidence) }),
        ...(prefer !== undefined && { prefer: prefer === "model" ? "model" : "draft" }),
      });
}

/** Answers as it did, one after the other, and then fails. */
function recordedModel(answers: readonly string[]): Model {
  const left = [...answers];
  return {
    name: "recorded",
    generate(): Promise<ModelReply> {
      const text = left.shift();
      return text === undefined
        ? Promise.reject(new Error("The journal has no further answer for this goal."))
        : Promise.resolve({ text, toolCalls: [], finishReason: "stop" });
    },
  };
}

async function plan(arm: string, { id, set, goal, context, resources }: ModelGoal): Promise<Outcome> {
  const spent = { attempts: 0, calls: 0, sent: 0, written: 0 };
  const onEvent = (event: PlannerEvent) => {
    if (event.type !== "plan-attempt") return;
    spent.attempts += 1;
    for (const { reply } of event.calls) {
      if (reply !== undefined) answers.push(reply.text.slice(0, maxAnswer));
      spent.calls += 1;
      spent.sent += reply?.usage?.inputTokens ?? 0;
      spent.written += reply?.usage?.outputTokens ?? 0;
    }
  };
  const answers: string[] = [];
  const began = performance.now();
  const settled = (tasks: readonly PlannerTaskInput[], valid: boolean): Outcome => ({
    ...{ arm, id, set },
    ...data.kept(tasks),
    valid,
    ...spent,
    ms: Math.round(performance.now() - began),
    ...(answers.length > 0 && { answers }),
  });
  const planner = new Planner({
    controller: controllerOf(arm, id),
    resources,
    present: () => new Date(data.now),
    timeZone: data.timeZone,
    timeoutMs: 3 * patienceMs,
    onEvent,
  });
  try {
    const { planned_tasks, metadata } = await planner.createPlan(goal, context === undefined ? {} : { context });
    const confidence = metadata?.confidence;
    return { ...settled(planned_tasks, true), ...(typeof confidence === "number" && { confidence }) };
  } catch (error) {
    const failure = error instanceof Error ? error.message.slice(0, 300) : String(error);
    // A plan that lacks an argument is scored as it is, and is not valid.
    const draft = (error instanceof PlannerError ? error.details.draft : undefined) as TaskDataInput | undefined;
    const questions = (draft?.metadata?.questions ?? []) as readonly { readonly argument_path: string }[];
    const missing = questions.map(({ argument_path }) => argument_path);
    return { ...settled(draft?.planned_tasks ?? [], false), missing, error: failure };
  }
}

function rowOf(arm: string, all: readonly Outcome[]): Record<string, string | number> {
  const wanted = new Set(data.goals.map(({ id }) => id));
  const found = all.filter((outcome) => outcome.arm === arm && wanted.has(outcome.id));
  const percent = (share: number | null) => (share === null ? "-" : (100 * share).toFixed(1));
  const share = (hits: readonly Outcome[]) => percent(found.length === 0 ? null : hits.length / found.length);
  const mean = (read: (outcome: Outcome) => number) =>
    found.length === 0 ? 0 : found.reduce((sum, outcome) => sum + read(outcome), 0) / found.length;
  return {
    arm,
    plans: found.length,
    "valid at once, %": share(found.filter(({ valid, attempts }) => valid && attempts <= 1)),
    "valid, %": share(found.filter(({ valid }) => valid)),
    ...data.measures(found),
    "tokens sent": Math.round(mean(({ sent }) => sent)),
    written: Math.round(mean(({ written }) => written)),
    "calls a plan": mean(({ calls }) => calls).toFixed(2),
    "s a plan": mean(({ ms }) => ms / 1_000).toFixed(1),
  };
}

function readJournal(file: string | undefined): Outcome[] {
  if (file === undefined || !existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Outcome);
}

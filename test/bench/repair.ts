import { parseArgs } from "node:util";
import { LlmController, openaiModel, readOutput } from "@planloom/controller";
import { type ChatBehaviour, type ChatRequest, startChatServer } from "@planloom/controller/testing";
import { isRecord, type Resource } from "@planloom/plan";
import { Planner } from "@planloom/planner";
import { randomFrom } from "../support/mutate-text.ts";
import { type Fault, faults, type Task } from "./repair-faults.ts";
import { markdownTable } from "./report.ts";

/**
 * What becomes of plans when a model goes wrong: `pnpm bench:repair [--plans N] [--errs SHARE] [--seed N] [--json]`.
 *
 * A scripted chat server answers each plan's first request with one fault. Asked again it knows no more than the feedback says: it
 * takes its own answer as it is repeated there and changes what each line names to the first legal choice. Every such answer goes wrong
 * anew with the chance `--errs`, in any of the ways. Tokens are characters / 4 of what is sent (messages and schema) and written.
 */
const { values: options } = parseArgs({
  options: {
    plans: { type: "string", default: "40" },
    errs: { type: "string", default: "0.3" },
    seed: { type: "string", default: "1" },
    json: { type: "boolean", default: false },
  },
});
const errs = Number(options.errs);
if (!/^[1-9]\d*$/.test(options.plans) || !/^[1-9]\d*$/.test(options.seed) || !(errs >= 0 && errs <= 1)) {
  process.stderr.write("usage: pnpm bench:repair [--plans N] [--errs SHARE] [--seed N] [--json]\n");
  process.exit(2);
}

const random = randomFrom(Number(options.seed));
const maxAttempts = 3;

type Change = { -readonly [Key in keyof Task]: Task[Key] };

interface Outcome {
  /** Requests after the first; `undefined` when no valid plan came. */
  readonly retries: number | undefined;
  readonly sent: number;
  readonly written: number;
}

const line = /^- task "([^"]+)"(?: at (\S+))?: (.*?)(?: \((use one of|rename to one of|add one of|remove): (.*)\))?$/gm;

const outcomes = new Map<Fault, Outcome[]>();
for (const fault of faults) {
  const own: Outcome[] = [];
  for (let count = 0; count < Number(options.plans); count += 1) own.push(await planWith(fault));
  outcomes.set(fault, own);
}
const whole = rowOf(
  "all but none",
  [...outcomes].filter(([{ name }]) => name !== "none").flatMap(([, own]) => own),
);
const rows = [...[...outcomes].map(([{ name }, own]) => rowOf(name, own)), whole];
process.stdout.write(options.json ? `${JSON.stringify(rows)}\n` : `${markdownTable(rows)}\n`);

function rowOf(fault: string, own: readonly Outcome[]) {
  const share = (retries: number) =>
    Math.round((100 * own.filter((each) => each.retries !== undefined && each.retries <= retries).length) / own.length);
  const mean = (read: (outcome: Outcome) => number) =>
    Math.round(own.reduce((sum, each) => sum + read(each), 0) / own.length);
  return {
    "first answer": fault,
    "valid at once, %": share(0),
    "after 1 retry, %": share(1),
    "after 2, %": share(2),
    "tokens sent": mean(({ sent }) => sent),
    written: mean(({ written }) => written),
  };
}

async function planWith(fault: Fault): Promise<Outcome> {
  const resources = Array.from({ length: 8 }, (_, at) => resourceOf(at));
  const tasks = tasksOf(2 + Math.floor(random() * 5));
  const spent = { sent: 0, written: 0 };
  const step = (request: ChatRequest): ChatBehaviour => {
    const { messages, response_format } = request.body ?? {};
    spent.sent += tokens(JSON.stringify([messages, response_format]));
    const first = server.requests.length === 1;
    const wrong = random() < errs ? faults[1 + Math.floor(random() * (faults.length - 1))] : undefined;
    const meant = first ? tasks : corrected(String((messages as { content?: unknown }[]).at(-1)?.content), tasks);
    const behaviour = ((first ? fault : wrong) ?? (faults[0] as Fault)).answer(meant, Math.floor(random() * 8));
    spent.written += tokens(behaviour.text ?? "");
    return behaviour;
  };
  await using server = await startChatServer([step], { repeat: true });
  const model = openaiModel({
    baseURL: server.baseURL,
    apiKey: "k",
    model: "m",
    retryDelayMs: 1,
    structuredOutput: "text",
  });
  const planner = new Planner({ controller: new LlmController({ model }), resources, maxAttempts });
  const valid = await planner.createPlan("Look at the records and what belongs to them").then(
    () => true,
    () => false,
  );
  return { retries: valid ? server.requests.length - 1 : undefined, ...spent };
}

function resourceOf(at: number): Resource {
  const id = ["orders", "invoices", "parcels", "visits", "offices", "claims", "letters", "meters"][at];
  return {
    kind: "tool",
    id: `${id}_list`,
    description: `Lists ${id}, newest first.`,
    input_schema: {
      type: "object",
      properties: { state: { enum: ["open", "closed"] }, limit: { type: "integer" }, source: { type: "string" } },
      required: ["state"],
      additionalProperties: false,
    },
    output_schema: {
      type: "object",
      properties: { id: { type: "string" }, total: { type: "number" } },
      required: ["id"],
    },
  };
}

/** A chain, each task but the first using the one before. */
function tasksOf(length: number): Task[] {
  return Array.from({ length }, (_, at) => ({
    task_id: `step_${at}`,
    description: `Look at what step ${at} lists`,
    execution_type: "tool",
    tool_id: resourceOf(Math.floor(random() * 8)).id,
    arguments: { state: "open", limit: 5, ...(at === 0 ? {} : { source: `\${step_${at - 1}.id}` }) },
    dependencies: at === 0 ? [] : [`step_${at - 1}`],
  }));
}

/** The model's last answer with what the feedback says changed; what it meant at first, where the answer is not repeated or unreadable. */
function corrected(prompt: string, meant: readonly Task[]): readonly Task[] {
  const feedback = prompt.slice(prompt.lastIndexOf("Previous attempt failed"));
  const answer = /<previous_answer>\n([\s\S]*?)\n<\/previous_answer>/.exec(feedback)?.[1];
  const read = answer === undefined ? undefined : readOutput(answer.replaceAll("\\u003c", "<"));
  const tasks =
    read?.found && isRecord(read.value) && Array.isArray(read.value.tasks) ? (read.value.tasks as Task[]) : [];
  const faults = [...feedback.matchAll(line)];
  if (tasks.length === 0 || faults.length === 0) return meant;
  const copies: Change[] = structuredClone(tasks) as Change[];
  for (const [, id, place = "", message = "", operation, listed] of faults) {
    const task = copies.find(({ task_id }) => task_id === id);
    if (task === undefined) continue;
    const [choice]: unknown[] = listed === undefined ? [] : JSON.parse(`[${listed}]`);
    if (message.includes("unique")) {
      const twin = copies.findLast(({ task_id }) => task_id === id);
      if (twin !== undefined) twin.task_id = choice === undefined ? `${id}_again` : String(choice);
    } else if (message.includes("cycle")) {
      const needed = new RegExp(`${id} -> (\\S+)`).exec(message)?.[1];
      task.dependencies = (task.dependencies ?? []).filter((each) => each !== needed);
    } else if (place === "tool_id") task.tool_id = String(choice);
    else if (place === "dependencies") {
      const known = new Set(copies.map(({ task_id }) => task_id));
      task.dependencies = (task.dependencies ?? []).filter((each) => known.has(each) && each !== id);
    } else if (operation === "rename to one of" || operation === "remove") delete task.arguments[place];
    else if (choice !== undefined) task.arguments[place] = choice;
    else if (message.includes("expected integer")) task.arguments[place] = 1;
  }
  return copies;
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}

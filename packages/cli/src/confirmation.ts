import type { Confirm, RunEvent, RunResult, TaskData, WaitingCall } from "planloom";
import type { DryStep } from "planloom/runtime";
import type { CliIo } from "./io.ts";
import type { Session } from "./session.ts";
import { plainLine, styleFor } from "./terminal/style.ts";
import { askedView } from "./views/asked-view.ts";
import { section } from "./views/heading.ts";

/** The steps of a plan that would wait for a person by the policy alone, without gates of their own. */
export function stepsToConfirm(
  plan: TaskData,
  { planloom }: Session,
  { confirm, variables }: { readonly confirm: Confirm | undefined; readonly variables: Record<string, unknown> },
): readonly DryStep[] {
  const waits = (policy: Confirm | undefined) =>
    planloom
      .dryRun(plan, { variables, ...(policy !== undefined && { confirm: policy }) })
      .steps.filter(({ needs_approval }) => needs_approval);
  const asked = waits(confirm);
  if (asked.length === 0 || confirm === "never") return [];
  const gated = new Set(waits("never").map(({ task_id }) => task_id));
  // A gate within a list holds for the task that has it: the others that are executed for each element are shown.
  const lists = new Set(
    plan.planned_tasks.flatMap((task) => (task.for_each?.tasks === undefined ? [] : [task.task_id])),
  );
  return asked.filter(({ task_id }) => !gated.has(task_id) || lists.has(task_id));
}

/** True for a yes on the terminal; false where the input is closed. */
export async function isYes(ask: NonNullable<CliIo["ask"]>, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(question))?.trim() ?? "");
}

/**
 * Approves calls for a person who has approved a plan: those that were shown whole. Calls whose input is made of references or chosen later
 * were not shown, and the person is asked about them when they exist.
 */
export class ShownCalls {
  readonly #shown = new Map<string, { readonly uid: string; readonly given: string }>();
  readonly #session: Session;
  readonly #answers: Promise<unknown>[] = [];

  constructor(plan: TaskData, steps: readonly DryStep[], session: Session) {
    this.#session = session;
    const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
    for (const { task_id, uid, input } of steps) {
      const task = tasks.get(task_id);
      if (task === undefined || uid === undefined || task.convertor_code) continue;
      // What was shown is what the plan says; where references fill it in, the input is another, and so are the parameters.
      if (canonical(task.arguments) === canonical(input))
        this.#shown.set(task_id, { uid, given: canonical([input, task.parameters]) });
    }
  }

  /** Hears the run; a call that waits and was shown whole is approved at once. */
  readonly hear = (event: RunEvent): void => {
    if (event.type !== "task-waiting") return;
    const shown = this.#shown.get(event.taskId);
    const given = canonical([event.input, event.parameters ?? {}]);
    if (shown === undefined || shown.uid !== event.uid || shown.given !== given) return;
    this.#answers.push(this.#approve(event.runId, event.taskId).catch(() => undefined));
  };

  async #approve(runId: string, taskId: string): Promise<void> {
    const { approve } = await import("planloom/runtime");
    const note = "confirmed with the plan, on the terminal";
    await approve(runId, taskId, { journal: await this.#session.planloom.journal(), note });
  }

  /** @returns how many were answered */
  async settled(): Promise<number> {
    await Promise.all(this.#answers);
    return this.#answers.splice(0).length;
  }
}

/**
 * Asks about each call that a run waits for, as its executor would get it, and resumes the run, until the person cannot or will not answer.
 * @param resumeRun resumes the run
 */
export async function askWhileWaiting(
  first: RunResult,
  session: Session,
  io: CliIo,
  resumeRun: () => Promise<RunResult>,
  shown?: ShownCalls,
): Promise<RunResult> {
  const { ask } = io;
  let result = first;
  while (ask !== undefined && result.end_reason === "waiting_approval" && !io.signal.aborted) {
    const answered = ((await shown?.settled()) ?? 0) + (await askAboutEach(result.run_id, session, io, ask));
    if (answered === 0) break;
    result = await resumeRun();
  }
  return result;
}

async function askAboutEach(
  runId: string,
  session: Session,
  io: CliIo,
  ask: NonNullable<CliIo["ask"]>,
): Promise<number> {
  const { approve, deny, waitingFor } = await import("planloom/runtime");
  const journal = await session.planloom.journal();
  const known = new Set((await journal.getAnswers(runId)).map(({ content_hash }) => content_hash));
  const style = styleFor(io.stdout, io.env);
  let answered = 0;
  for (const call of await waitingFor(runId, { journal })) {
    if (known.has(call.content_hash)) continue;
    io.stdout.write(section("To confirm", "exactly this call", style) + callText(call));
    const said = (await ask(call.begun_at === undefined ? question : questionOfBegun))?.trim() ?? "";
    const given = /^y(es)?$/i.test(said) ? approve : /^no?$/i.test(said) ? deny : undefined;
    if (given === undefined) continue;
    await given(runId, call.id, { journal, note: "on the terminal" });
    answered += 1;
  }
  return answered;

  function callText(call: WaitingCall): string {
    const uid = call.uid === undefined ? "" : `  ${style.paint("dim", plainLine(call.uid))}`;
    return `  ${style.paint("bold", plainLine(call.id))}${uid}\n${askedView(call, style)}`;
  }
}

const question = "Make it? [y]es, [n]o, Enter to decide later: ";
/** For a begun call. If it was carried out, the right answer is its result, which is not typed at a terminal. */
const questionOfBegun =
  "Make it a second time? [y]es, [n]o (the task is skipped), Enter to decide later (approve --output JSON gives its result): ";

/** JSON with keys in order, to compare inputs. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

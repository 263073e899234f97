import {
  hasFlowValues,
  isDecidedByConditions,
  type PlannerTask,
  type ReferenceLookup,
  referringValues,
  scanReferences,
} from "@planloom/plan";
import { storedStep } from "../approvals/question.ts";
import { type PreparedStep, prepareStep, resolveParameters, type UnavailableStep } from "../input/prepare-step.ts";
import type { AskedTask } from "../journal/journal.ts";
import { taskErrorFrom } from "../task-error.ts";
import type { Choices } from "./choices.ts";
import { Conditions } from "./conditions.ts";
import type { ForEachTasks } from "./for-each-tasks.ts";
import type { Polls } from "./polls.ts";
import type { ShellParts } from "./shell-parts.ts";
import { type Stage2Parts, Stage2Work } from "./stage2-work.ts";
import type { TaskTable } from "./task-table.ts";
import { TimedWork } from "./timed-work.ts";
import type { Waits } from "./waits.ts";

interface PreparationParts extends Omit<Stage2Parts, "parts" | "accept"> {
  readonly shell: ShellParts;
  readonly waits: Waits;
  readonly polls: Polls;
  readonly forEach: ForEachTasks;
  readonly choices: Choices;
  /** The task has its step. */
  onPrepared(task: number): void;
  /** Nothing can continue, for example since the journal fails. */
  giveUp(error: unknown): void;
}

/**
 * From the start of a task to its step: the outputs that it reads are in memory, its `when` holds, references and `convertor_code` are
 * resolved, and Stage 2 was asked where something was left open. Tasks of other shapes go to what executes those.
 */
export class TaskPreparation {
  readonly #parts: PreparationParts;
  readonly #shell: ShellParts;
  readonly #table: TaskTable;
  readonly #conditions: Conditions;
  readonly #stage2: Stage2Parts;

  constructor(parts: PreparationParts) {
    const { shell, ends, active, abandoned, usageRecorder, usage } = parts;
    this.#parts = parts;
    this.#shell = shell;
    this.#table = shell.table;
    this.#conditions = new Conditions(shell, ends, active, (task) => this.prepare(task));
    this.#stage2 = {
      parts: shell,
      ends,
      active,
      abandoned,
      usageRecorder,
      usage,
      accept: (task, step, modelCalls) => this.#accept(task, step, modelCalls),
    };
  }

  /** The number means another task now. */
  forget(task: number): void {
    this.#conditions.forget(task);
  }

  /** Prepares the step of the task, or ends it, or lets it wait for what it needs. */
  prepare(task: number): void {
    const asked = this.#shell.earlier.get(this.#table.tasks[task]!.task_id);
    if (asked?.question !== undefined && this.#takeAsked(task, asked)) return;
    const missed = this.#outputsToLoad(task);
    if (missed.length === 0) this.#prepareStep(task);
    else this.#prepareAfterLoading(task, missed, new Map());
  }

  /** Tasks whose outputs the task reads and that are in the journal alone. */
  #outputsToLoad(task: number): readonly number[] {
    const { lookup } = this.#shell;
    return this.#table.outputs.missedBy(() => {
      const values = referringValues(this.#table.tasks[task]!);
      for (const { reference } of scanReferences(values).references) lookup(reference.name);
    });
  }

  /** What the names in the references of a task mean. */
  #lookupOf(task: number): ReferenceLookup {
    const { elements, lookup } = this.#shell;
    return elements === undefined ? lookup : elements.lookupOf(task);
  }

  /** Some outputs that the task reads have left memory: they are read from the journal first, as long as any are missing. */
  #prepareAfterLoading(task: number, sources: readonly number[], read: ReadonlyMap<number, unknown>): void {
    const { outputs, tasks } = this.#table;
    const limits = { timeoutMs: Number.POSITIVE_INFINITY, graceMs: this.#shell.settings.abortGraceMs };
    const reading = new TimedWork(limits, (outcome) => {
      this.#parts.active.delete(task);
      if (outcome.type === "value" && !this.#parts.ends.cancelled) {
        const held = new Map([...read, ...(outcome.value as ReadonlyMap<number, unknown>)]);
        outputs.holding(held, () => {
          // Others may have left meanwhile.
          const more = this.#outputsToLoad(task);
          if (more.length > 0) this.#prepareAfterLoading(task, more, held);
          else this.#prepareStep(task);
        });
        return;
      }
      // Without the outputs that the journal has nothing can continue.
      if (outcome.type === "thrown") this.#parts.giveUp(outcome.thrown);
      this.#parts.ends.stop(task, false);
    });
    this.#parts.active.set(task, reading);
    reading.follow(outputs.load(sources, (source) => tasks[source]!.task_id));
  }

  #prepareStep(task: number): void {
    const planned = this.#table.tasks[task]!;
    if (hasFlowValues(planned)) {
      const lookup = this.#lookupOf(task);
      if (planned.when !== undefined && !this.#conditions.allows(task, lookup)) return;
      if (planned.for_each !== undefined) {
        this.#parts.forEach.begin(task, lookup);
        return;
      }
      if (isDecidedByConditions(planned)) {
        this.#parts.choices.decide(task, lookup);
        return;
      }
      if (planned.wait !== undefined) {
        this.#parts.waits.begin(task, lookup);
        return;
      }
      if (planned.retry_until !== undefined && !this.#parts.polls.mayCall(task)) return;
    }
    const { registry, bind, baseInput, input, host } = this.#shell;
    let stage2: Stage2Work | undefined;
    const ofStage2 = () => {
      stage2 ??= new Stage2Work(this.#stage2, task);
      return stage2;
    };
    try {
      const step = prepareStep(this.#table.tasks[task]!, {
        registry,
        bind,
        lookup: this.#lookupOf(task),
        baseInput,
        runInput: input,
        secrets: host.secrets,
        maxOutputBytes: this.#shell.settings.maxOutputBytes,
        bindOptions: () => ofStage2().options(),
      });
      if (step instanceof Promise) ofStage2().follow(step);
      else this.#accept(task, step);
    } catch (thrown) {
      this.#parts.ends.fail(task, taskErrorFrom(thrown));
    }
  }

  /** Takes the step that a person was asked about before, as it was then. False where the task is to be prepared again. */
  #takeAsked(task: number, asked: AskedTask): boolean {
    const { registry, host, approvals } = this.#shell;
    let resolved: PlannerTask;
    try {
      resolved = resolveParameters(this.#table.tasks[task]!, this.#lookupOf(task));
    } catch {
      // Preparing it says what is wrong.
      return false;
    }
    const step = storedStep(asked, resolved, approvals.contentHash(task), { registry, secrets: host.secrets });
    if (step === undefined) return false;
    if (asked.asked_hash !== undefined) this.#table.askedHashes.set(task, asked.asked_hash);
    this.#table.prepared[task] = step;
    this.#parts.onPrepared(task);
    return true;
  }

  /** @param modelCalls that Stage 2 made for it. */
  #accept(task: number, step: PreparedStep | UnavailableStep, modelCalls = 0): void {
    if ("unavailable" in step) {
      this.#parts.ends.unavailable(task, step);
      return;
    }
    this.#table.prepared[task] = step;
    if (modelCalls > 0) {
      const { bindInput = {} } = step;
      this.#parts.usageRecorder.record(task, "step", { request: { input: bindInput }, reply: step.step, latencyMs: 0 });
    }
    this.#parts.onPrepared(task);
  }
}

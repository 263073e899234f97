import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import type { ModelRequest } from "./model.ts";
import { TaskStreamReader } from "./output/task-stream-reader.ts";
import { cut } from "./transport/cut.ts";

/** Tasks of one answer whose schema does not say how many there may be. */
const usualTasks = 200;
/** The same call so often, under any names, dependencies and reasons of its tasks, comes from a model that repeats itself. */
const repeats = 8;
/** Characters of one task, and the values in it, beyond what the request itself may have given it to hold. */
const usualTask = 16_000;
const usualValues = 256;

/**
 * Watches an answer while a model writes it: one with more tasks than its schema allows, with the same task again and again, or with a task that
 * grows far beyond what the request could fill, has lost its way and would be refused in the end.
 */
export class PlanWatch {
  #reader = new TaskStreamReader();
  readonly #seen = new Map<string, number>();
  readonly #maxTasks: number;
  readonly #maxCharacters: number;
  readonly #maxValues: number;
  readonly #abort = new AbortController();
  readonly #distinct: Record<string, unknown>[] = [];
  #tasks = 0;
  #characters = 0;
  #repeats = false;

  constructor({ schema, messages }: Pick<ModelRequest, "schema" | "messages">) {
    this.#maxTasks = maxTasksOf(schema);
    const said = messages.filter(({ role }) => role === "user").reduce((sum, { content }) => sum + content.length, 0);
    // A task may hold all that the request says, escaped, and a value may be a single character.
    this.#maxCharacters = usualTask + 2 * said;
    this.#maxValues = usualValues + said;
  }

  /** Aborted with a ControllerError RUNAWAY once the answer has run away. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Characters that came so far. */
  get characters(): number {
    return this.#characters;
  }

  /** Of an answer that was stopped because it repeats itself: its tasks, each once. Undefined of any other. */
  get tasksBeforeRepeats(): readonly Record<string, unknown>[] | undefined {
    return this.#repeats ? this.#distinct : undefined;
  }

  /** What comes next is another answer. Those that were stopped already stay so. */
  restart(): void {
    if (this.signal.aborted) return;
    this.#reader = new TaskStreamReader();
    this.#seen.clear();
    this.#distinct.length = 0;
    this.#tasks = 0;
  }

  add(text: string): void {
    if (this.signal.aborted) return;
    this.#characters += text.length;
    for (const task of this.#reader.push(text)) this.#addTask(task);
    const { characters, values } = this.#reader.open;
    if (values > this.#maxValues) this.#stop(`had a task with more than ${this.#maxValues} values`);
    else if (characters > this.#maxCharacters) this.#stop(`had a task of more than ${this.#maxCharacters} characters`);
  }

  #addTask(written: Record<string, unknown>): void {
    const { task_id, for: _, after: __, waits: ___, dependencies: ____, ...task } = written;
    this.#tasks += 1;
    const content = JSON.stringify(task);
    const times = (this.#seen.get(content) ?? 0) + 1;
    this.#seen.set(content, times);
    if (times === 1) this.#distinct.push(written);
    const id = cut(String(task_id), 80);
    // A task that is nothing but its id says nothing of its own.
    this.#repeats = times >= repeats && content !== "{}";
    if (this.#repeats) this.#stop(`had the task "${id}" ${times} times, under other names`);
    else if (this.#tasks > this.#maxTasks) this.#stop(`had more than ${this.#maxTasks} tasks`);
  }

  #stop(what: string): void {
    const characters = this.#characters;
    const message = `The answer ${what}, and was stopped after ${characters} characters.`;
    this.#abort.abort(
      new ControllerError(ControllerErrorCode.RUNAWAY, message, { details: { characters, tasks: this.#tasks } }),
    );
  }
}

function maxTasksOf(schema: ModelRequest["schema"]): number {
  const outline = schema?.schema;
  const properties = isRecord(outline) && isRecord(outline.properties) ? outline.properties : {};
  const tasks = properties.tasks ?? properties.planned_tasks;
  const most = isRecord(tasks) ? tasks.maxItems : undefined;
  return typeof most === "number" ? most : usualTasks;
}

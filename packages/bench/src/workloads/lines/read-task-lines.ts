import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { PlanError, PlanErrorCode, type PlanView, planViewFromEdges, viewWithCosts } from "@planloom/plan";
import { checkOptions } from "../../check-options.ts";
import { ByteIds, extended } from "./byte-ids.ts";
import { LineFields } from "./line-fields.ts";

/** What `plan-workload/1` may say of a task beside what is measured. */
const unread: ReadonlySet<string> = new Set(["desc", "description", "depBytes", "inputBytes", "name"]);

/**
 * Reads a plan of any size whose text has a task of `plan-workload/1` a line (JSON lines): `{"id":"b","runtime":2.5,"deps":["a"],"type":"llm","promptTokens":90,"outputBytes":4096}`. Columns of numbers are all that
 * is made of it; ids become texts when the view is first asked for them. A dependency may come after the task that names it. O(bytes)
 * @param chunks of the text, cut anywhere: `createReadStream(file)`
 * @throws OptimizerError OPTIMIZER_INPUT for any other line, with its number; PlanError DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE; the signal's reason
 */
export async function readTaskLines(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { signal?: AbortSignal } = {},
): Promise<PlanView> {
  checkOptions("`readTaskLines`", options, { signal: "signal" });
  const columns = new TaskColumns();
  /** The beginning of a line that has not ended yet; its parts are put together once, when it has. */
  const begun: Uint8Array[] = [];
  const addBegun = (...last: Uint8Array[]) => {
    const line = Buffer.concat([...begun.splice(0), ...last]);
    columns.addLine(line, 0, line.length);
  };
  for await (const chunk of chunks) {
    options.signal?.throwIfAborted();
    let start = 0;
    for (let end = chunk.indexOf(NEW_LINE); end !== -1; end = chunk.indexOf(NEW_LINE, start)) {
      if (begun.length > 0) addBegun(chunk.subarray(start, end));
      else columns.addLine(chunk, start, end);
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.slice(start));
  }
  if (begun.length > 0) addBegun();
  return columns.view();
}

class TaskColumns {
  readonly #fields = new LineFields();
  readonly #ids = new ByteIds();
  readonly #types = new ByteIds();
  /** By number of an id: its task's number plus one, 0 where only dependencies name it. */
  #taskOf = new Int32Array(1 << 12);
  #line = 0;
  #n = 0;
  #idOf = new Int32Array(1 << 12);
  #work = new Float64Array(1 << 12);
  #tokens = new Float64Array(1 << 12);
  #outBytes = new Float64Array(1 << 12);
  #type = new Int32Array(1 << 12);
  #edges = 0;
  /** By edge: the id that is needed, and the task that needs it. */
  #needs = new Int32Array(1 << 14);
  #by = new Int32Array(1 << 14);

  addLine(bytes: Uint8Array, start: number, end: number): void {
    this.#line++;
    let at = start;
    while (at < end && bytes[at]! <= 32) at++;
    if (at === end) return;
    try {
      this.#addTask(bytes, at, end);
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      throw new OptimizerError(
        OptimizerErrorCode.INPUT,
        `Expected line ${this.#line} to be a task of plan-workload/1 ({"id", "runtime", "deps"}). ${cause.message}`,
        { details: { line: this.#line }, cause },
      );
    }
  }

  #addTask(bytes: Uint8Array, start: number, end: number): void {
    const fields = this.#fields;
    if (this.#n === this.#work.length) this.#extendTasks();
    const task = this.#n;
    let id = -1;
    let runtime = -1;
    let type = -1;
    fields.begin(bytes, start, end);
    for (let isFirst = true; fields.nextField(isFirst); isFirst = false) {
      if (fields.isText("id")) {
        fields.readText("the id, a text");
        id = this.#ids.numberOf(fields.textBytes, fields.textStart, fields.textEnd);
      } else if (fields.isText("runtime"))
        runtime = fields.readAmount("the runtime in seconds, a number of at least 0");
      else if (fields.isText("deps")) fields.readTexts("ids of tasks", () => this.#addEdge(task));
      else if (fields.isText("type")) {
        fields.readText("the type, a text");
        type = this.#types.numberOf(fields.textBytes, fields.textStart, fields.textEnd);
      } else if (fields.isText("promptTokens"))
        this.#tokens[task] = fields.readAmount("tokens, a number of at least 0");
      else if (fields.isText("outputBytes")) this.#outBytes[task] = fields.readAmount("bytes, a number of at least 0");
      else {
        const name = fields.text();
        if (!unread.has(name)) throw new SyntaxError(`Nothing reads the field ${JSON.stringify(name)}.`);
        fields.skip();
      }
    }
    if (id === -1) throw new SyntaxError("Expected an id, got none.");
    if (runtime === -1) throw new SyntaxError("Expected a runtime, got none.");
    if (type === -1) type = this.#types.numberOf(bytes, start, start);
    while (this.#taskOf.length < this.#ids.count) this.#taskOf = extended(this.#taskOf, 2 * this.#taskOf.length);
    if (this.#taskOf[id] !== 0) {
      const text = this.#ids.text(id);
      throw new PlanError(PlanErrorCode.DUPLICATE_TASK, `Expected task ids to be unique, got "${text}" twice.`, {
        details: { task_id: text },
      });
    }
    this.#taskOf[id] = task + 1;
    this.#idOf[task] = id;
    this.#work[task] = runtime * 1000;
    this.#type[task] = type;
    this.#n++;
  }

  #addEdge(task: number): void {
    const { textBytes, textStart, textEnd } = this.#fields;
    if (this.#edges === this.#needs.length) {
      this.#needs = extended(this.#needs, 2 * this.#edges);
      this.#by = extended(this.#by, 2 * this.#edges);
    }
    this.#needs[this.#edges] = this.#ids.numberOf(textBytes, textStart, textEnd);
    this.#by[this.#edges++] = task;
  }

  #extendTasks(): void {
    const length = 2 * this.#n;
    this.#idOf = extended(this.#idOf, length);
    this.#work = extended(this.#work, length);
    this.#tokens = extended(this.#tokens, length);
    this.#outBytes = extended(this.#outBytes, length);
    this.#type = extended(this.#type, length);
  }

  view(): PlanView {
    const n = this.#n;
    const ids = this.#ids;
    for (let edge = 0; edge < this.#edges; edge++) {
      const needed = this.#needs[edge]!;
      const task = (needed < this.#taskOf.length ? this.#taskOf[needed]! : 0) - 1;
      if (task === -1) {
        const [by, dependency] = [ids.text(this.#idOf[this.#by[edge]!]!), ids.text(needed)];
        throw new PlanError(
          PlanErrorCode.UNKNOWN_DEPENDENCY,
          `Task "${by}" depends on "${dependency}", which is not a task.`,
          { details: { task_id: by, dependency } },
        );
      }
      this.#needs[edge] = task;
    }
    const from = this.#needs.subarray(0, this.#edges);
    const to = this.#by.subarray(0, this.#edges);
    const idOf = this.#idOf.subarray(0, n);
    const view = planViewFromEdges({ n, from, to, ids: () => Array.from(idOf, (id) => ids.text(id)) });
    const outBytes = this.#outBytes.subarray(0, n);
    const none = new Float64Array(0);
    const given = (column: Float64Array) => (column.some((value) => value !== 0) ? column : none);
    return viewWithCosts(view, {
      work: this.#work.subarray(0, n),
      affinity: this.#type.subarray(0, n),
      ...(given(this.#tokens).length > 0 && { tokens: this.#tokens.subarray(0, n) }),
      ...(given(this.#outBytes).length > 0 && { outBytes, outTokens: outBytes.map((bytes) => Math.ceil(bytes / 4)) }),
    });
  }
}

const NEW_LINE = 10;

import { hashValue, type Resource } from "@planloom/plan";
import { who, why } from "../approvals/answer-text.ts";
import type { BegunCall } from "../journal/journal.ts";
import type { WaitingCall } from "../journal/waiting-call.ts";
import { jsonCopy } from "../json-copy.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { BegunPlace } from "./begun-calls.ts";
import type { Gates } from "./gates.ts";
import { isRepeatable } from "./repeatable.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskEnds } from "./task-ends.ts";

/** Decides about calls that were begun in an earlier session and of which it is unknown whether they were carried out. */
export class UnknownCalls {
  readonly #parts: ShellParts;
  readonly #gates: Gates;
  readonly #ends: TaskEnds;

  constructor(parts: ShellParts, gates: Gates, ends: TaskEnds) {
    this.#parts = parts;
    this.#gates = gates;
    this.#ends = ends;
  }

  /** Whether the task's call may be made now. If not, the task has been dealt with. */
  allows(task: number): boolean {
    const { begun: calls, settings, table } = this.#parts;
    if (calls.isEmpty) return true;
    const place = this.#placeOf(task);
    const begun = calls.find(place);
    if (begun === undefined) return true;
    if (settings.onUnknown === "retry" || isRepeatable(table.prepared[task]!)) {
      calls.forget(place);
      return true;
    }
    if (settings.onUnknown === "ask") return this.#ask(task, place, begun);
    const message = `${textOf(begun)} Say by \`onUnknown\` whether such calls are made again or asked about.`;
    this.#ends.fail(task, taskError(TaskErrorCode.UNKNOWN_OUTCOME, message, { begun }));
    return false;
  }

  #ask(task: number, place: Omit<BegunPlace, "begun">, begun: BegunCall): boolean {
    const { begun: calls, approvals, table } = this.#parts;
    const { step, resource } = table.prepared[task]!;
    const { uid, input_data: input } = step;
    const id = `${approvals.prefix}${place.task_id}#begun`;
    const call: WaitingCall = {
      ...{ id, content_hash: hashValue({ begun, uid, input }), uid, input, begun_at: begun.at },
      ...keptSchema(resource),
    };
    const answer = approvals.answers.find(id, call.content_hash);
    if (answer === undefined) {
      this.#gates.suspend(task, waitingError(begun, call), approvals.answers.version);
      return false;
    }
    if (answer.answer === "deny") {
      const { by, note } = answer;
      const said = { ...(by !== undefined && { by }), ...(note !== undefined && { note }) };
      const message = `${textOf(begun)} ${who(answer)} said no to making it again${why(answer)}.`;
      this.#ends.refuse(task, taskError(TaskErrorCode.DENIED, message, { begun, ...said }));
      return false;
    }
    calls.forget(place);
    table.errors[task] = undefined;
    if (!("output" in answer)) return true;
    const { value, bytes } = jsonCopy(answer.output, { maxBytes: Number.POSITIVE_INFINITY });
    this.#ends.complete(task, value, bytes);
    return false;
  }

  #placeOf(task: number): Omit<BegunPlace, "begun"> {
    const { host, table } = this.#parts;
    return { ...host.position.named(), task_id: table.tasks[task]!.task_id };
  }
}

/** A longer schema is not kept with the question, since it is written into the record of the task. UTF-16 units of its JSON. */
const maxSchema = 16 * 1024;

function keptSchema({ output_schema }: Resource): Pick<WaitingCall, "output_schema"> {
  if (output_schema === undefined || JSON.stringify(output_schema).length > maxSchema) return {};
  return { output_schema };
}

function textOf({ uid, at, attempt }: BegunCall): string {
  return `Attempt ${attempt} to call "${uid}" was begun at ${at}, and it is unknown whether it was carried out.`;
}

function waitingError(begun: BegunCall, call: WaitingCall): TaskError {
  const message = `${textOf(begun)} Approve it to make the call again, deny it to skip the task, or supply its output.`;
  return taskError(TaskErrorCode.WAITING, message, { waiting: [call], begun });
}

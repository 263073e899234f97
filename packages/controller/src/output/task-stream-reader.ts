import { isRecord } from "@planloom/plan";

const maxTaskCharacters = 1024 * 1024;
const maxTagLength = 16;
const thinkTag = /^<(\/?)(?:think|thinking|thought|reasoning|scratchpad)>$/i;

/**
 * Reads the tasks of a plan while a model still writes it. What counts as one is a whole object with a text `task_id`, in the
 * first place of its list or after such ones; so `[{…}, {…}]`, `{"planned_tasks": [{…}]}` and either with prose, fences or think
 * blocks around it are read. It is a preview: strict JSON alone, nothing repaired, and no word on whether the whole is a plan.
 * The whole text is read by `readOutput` in the end.
 *
 * Linear in the text, in parts of any size; keeps no more than the task being written. Never throws.
 */
export class TaskStreamReader {
  #state: "outside" | "list" | "task" | "skip" = "outside";
  /** Nesting within the task, or within the list that is skipped. */
  #depth = 0;
  #inText = false;
  #escaped = false;
  #parts: string[] = [];
  #characters = 0;
  #values = 0;
  #thinking = 0;
  #tag = "";

  /** The task that is being written: its characters so far, and about how many values it has. */
  get open(): { readonly characters: number; readonly values: number } {
    return { characters: this.#characters, values: this.#values };
  }

  /** Takes the next piece of text. @returns the tasks that became whole in it, as they were written */
  push(text: string): Record<string, unknown>[] {
    const found: Record<string, unknown>[] = [];
    let start = this.#state === "task" ? 0 : -1;
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] as string;
      switch (this.#state) {
        case "outside":
          this.#outside(character);
          break;
        case "list":
          if (character === "{") {
            this.#state = "task";
            this.#depth = 1;
            start = at;
          } else if (character === "]") this.#leaveList();
          else if (character !== "," && !isBlank(character)) this.#state = character === "[" ? "list" : "outside";
          break;
        case "task":
          if (!this.#closes(character)) break;
          this.#parts.push(text.slice(start, at + 1));
          start = -1;
          this.#endTask(found);
          break;
        case "skip":
          if (this.#closes(character)) this.#leaveList();
          break;
        default:
          this.#state satisfies never;
      }
    }
    if (start !== -1) this.#keep(text.slice(start));
    return found;
  }

  #outside(character: string): void {
    if (character === "<") this.#tag = character;
    else if (this.#tag !== "") {
      this.#tag += character;
      const tag = character === ">" ? thinkTag.exec(this.#tag) : undefined;
      if (tag) this.#thinking = Math.max(0, this.#thinking + (tag[1] === "/" ? -1 : 1));
      if (character === ">" || this.#tag.length > maxTagLength) this.#tag = "";
    }
    if (character === "[" && this.#thinking === 0) {
      this.#state = "list";
    }
  }

  /** Follows texts and nesting; true for the bracket that closes the outermost. */
  #closes(character: string): boolean {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (character === "\\") this.#escaped = true;
      else if (character === '"') this.#inText = false;
      return false;
    }
    if (character === '"') this.#inText = true;
    else if (character === ",") this.#values += 1;
    else if (character === "{" || character === "[") this.#depth += 1;
    else if (character === "}" || character === "]") this.#depth -= 1;
    return this.#depth === 0;
  }

  #keep(part: string): void {
    this.#characters += part.length;
    if (this.#characters <= maxTaskCharacters) this.#parts.push(part);
  }

  #endTask(found: Record<string, unknown>[]): void {
    const task = this.#characters > maxTaskCharacters ? undefined : parseRecord(this.#parts.join(""));
    this.#parts = [];
    this.#characters = 0;
    this.#values = 0;
    if (task !== undefined && typeof task.task_id === "string") {
      found.push(task);
      this.#state = "list";
      return;
    }
    // Another list, or one in which a task cannot be read: what comes after it may depend on it.
    this.#state = "skip";
    this.#depth = 1;
  }

  #leaveList(): void {
    this.#state = "outside";
    this.#inText = false;
    this.#escaped = false;
  }
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBlank(character: string): boolean {
  return character === " " || character === "\n" || character === "\r" || character === "\t";
}

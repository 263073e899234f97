import type { RunEvent } from "planloom";
import { errorText } from "../options/option-places.ts";
import { plainLine, plainText, type Style } from "../terminal/style.ts";

/** Shows a turn as it happens: the words of the model as they are written, and a line for each call. */
export class ChatView {
  readonly #write: (text: string) => void;
  readonly #style: Style;
  #inText = false;
  /** What the model has said in its last reply. */
  text = "";

  constructor(write: (text: string) => void, style: Style) {
    this.#write = write;
    this.#style = style;
  }

  readonly hear = (event: RunEvent): void => this.#hear(event, 0);

  /** Ends a line of words. */
  endText(): void {
    if (this.#inText) this.#write("\n");
    this.#inText = false;
  }

  #hear(event: RunEvent, depth: number): void {
    switch (event.type) {
      case "task-progress": {
        const {
          nested,
          plan,
          text,
          said = text,
        } = (event.progress ?? {}) as {
          readonly nested?: RunEvent;
          readonly plan?: RunEvent;
          readonly text?: unknown;
          /** The text without thoughts and arguments of calls. */
          readonly said?: unknown;
        };
        if (nested !== undefined) this.#hear(nested, depth);
        else if (plan !== undefined) this.#hear(plan, depth + 1);
        else if (typeof said === "string" && said !== "" && event.taskId === "model" && depth === 0) this.#say(said);
        return;
      }
      case "task-start":
        // A new request of the model begins a new reply.
        if (event.taskId === "model") this.text = "";
        else if (event.taskId !== "answer") this.#line(depth, "▸", "dim", event.uid ?? event.taskId);
        return;
      case "task-end":
        if (event.taskId !== "model" && event.taskId !== "answer" && depth > 0)
          this.#line(depth, "✓", "green", event.taskId);
        return;
      case "task-error":
        if (event.taskId !== "answer") this.#line(depth, "✗", "red", `${event.taskId}: ${errorText(event.error)}`);
        return;
      default:
        return;
    }
  }

  #say(text: string): void {
    const plain = plainText(text);
    this.text += text;
    this.#inText = true;
    this.#write(plain);
  }

  #line(depth: number, mark: string, colour: "dim" | "green" | "red", text: string): void {
    this.endText();
    this.#write(`${"  ".repeat(depth + 1)}${this.#style.paint(colour, mark)} ${plainLine(text)}\n`);
  }
}

import fc from "fast-check";
import { expect, test } from "vitest";
import { EventLines } from "../../packages/controller/src/openai/event-lines.ts";

/** What is kept of a text that comes in these pieces. */
function kept(pieces: readonly string[]): string {
  const lines = new EventLines();
  return pieces.map((piece) => Buffer.from(lines.keep(Buffer.from(piece))).toString()).join("");
}

/** The events of a stream by the rules of the standard: lines, comments left out, a blank line ends an event. */
function eventsOf(text: string): string[] {
  const events: string[] = [];
  const lines: string[] = [];
  for (const line of text.split(/\r\n|\r|\n/)) {
    if (line.startsWith(":")) continue;
    if (line !== "") lines.push(line);
    else if (lines.length > 0) events.push(lines.splice(0).join("\n"));
  }
  return events;
}

test("megabytes that keep a connection open come to nothing", () => {
  expect(kept(["\n".repeat(1_000), ": ping\n\n".repeat(1_000), "data: 1\n\n"]).length).toBeLessThan(20);
  expect(kept(["data: 1\n\n", ":\r\n\r\n".repeat(1_000)]).length).toBeLessThan(20);
  const chunk = Buffer.from("data: a: b\ndata: c\n\n");
  expect(new EventLines().keep(chunk)).toBe(chunk);
});

const pieces = fc.array(
  fc.constantFrom("data: x", "data:y", ": c", ":", "\n", "\r\n", "\r", "\n\n", "a:b", "é", "data: z\n\n"),
  { maxLength: 30 },
);
test("events are as they were, wherever the chunks end", () => {
  fc.assert(
    fc.property(pieces, (parts) => {
      const whole = `${parts.join("")}\n\ndata: end\n\n`;
      expect(eventsOf(kept([whole]))).toEqual(eventsOf(whole));
      expect(kept([...whole])).toBe(kept([whole]));
    }),
    { numRuns: 100 },
  );
});

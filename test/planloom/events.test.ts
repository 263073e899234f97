import { expect, test } from "vitest";
import { EventHub, type PlanloomEvent } from "../../packages/planloom/src/events.ts";

const event = { type: "run-end", runId: "r", seq: 0, at: 0, endReason: "completed", achievedMs: 1 } as PlanloomEvent;

test("a listener that throws, or whose promise rejects, reaches neither the emitter nor the others", async () => {
  const errors: unknown[] = [];
  const hub = new EventHub((error) => errors.push(error));
  let heard = 0;
  hub.on("run-end", () => {
    throw new Error("one");
  });
  hub.on("run-end", async () => {
    throw new Error("two");
  });
  hub.on("run-end", () => {
    heard += 1;
  });
  hub.emit(event);
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toBe(1);
  expect(errors.map(String)).toEqual(["Error: one", "Error: two"]);
});

test("a fault in the fault handler ends there", () => {
  const hub = new EventHub(() => {
    throw new Error("handler");
  });
  hub.on("run-end", () => {
    throw new Error("listener");
  });
  expect(() => hub.emit(event)).not.toThrow();
});

test("a listener is called once an event however often it was added, and no more after off", () => {
  const hub = new EventHub();
  let heard = 0;
  const listener = () => {
    heard += 1;
  };
  hub.on("run-end", listener);
  hub.on("run-end", listener);
  hub.emit(event);
  expect(heard).toBe(1);
  hub.off("run-end", listener);
  hub.emit(event);
  expect(heard).toBe(1);
});

test("only its own type is heard", () => {
  const hub = new EventHub();
  const heard: string[] = [];
  hub.on("run-start", ({ type }) => heard.push(type));
  hub.on("run-end", ({ type }) => heard.push(type));
  hub.emit(event);
  expect(heard).toEqual(["run-end"]);
});

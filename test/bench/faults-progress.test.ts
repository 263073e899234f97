import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { FaultsProgress, isAlive } from "./faults-progress.ts";

test.each([
  [false, ["0 s  tasks\n", "0 s  tasks: 3 of 6 kills, 1 run checked\n"]],
  [true, ["\r\u001b[K0 s  tasks", "\r\u001b[K0 s  tasks: 3 of 6 kills, 1 run checked", "\r\u001b[K"]],
])("each kill is said in a line of its own, on a terminal (%s) in one that is written over", (isTTY, expected) => {
  const written: string[] = [];
  const progress = new FaultsProgress({ kills: 6, output: { isTTY, write: (text) => written.push(text) } });
  progress.begin("tasks");
  progress.killed(3, 1);
  progress[Symbol.dispose]();
  expect(written.map((text) => text.replace(/[\d.]+ s/, "0 s"))).toEqual(expected);
});

test("at the deadline processes are ended, those too that are started later", async () => {
  using progress = new FaultsProgress({ kills: 6, seconds: 0.05, output: { write: () => {} } });
  const start = () => progress.owns(spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]));
  const early = start();
  const earlyEnd = once(early, "exit");
  await once(progress.signal, "abort");
  const late = start();
  await Promise.all([earlyEnd, once(late, "exit")]);
  expect([early.signalCode, late.signalCode, isAlive(early)]).toEqual(["SIGKILL", "SIGKILL", false]);
  expect(progress.endedBy).toBe("deadline");
});

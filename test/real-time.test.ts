import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { repository } from "./support/run-cli.ts";

// A sleep makes the suite slow and fails where the machine is busy. What a test waits for is an event, a promise that it resolves
// itself, or a clock that it moves (`fakeTime`, `vi.useFakeTimers`). Where a process, a socket or SQLite needs time that passes, a
// comment at most three lines above says so, beginning with "Real time:".

const sleeps = /\bsetTimeout\([^;]*, \d[\d_]+\)|\b(?:sleep|delay)\(\d[\d_]+(?:\)|, (?!signal|undefined, \{ signal))/;
const fakes = /\bfakeTime\(\)|toFake: \[[^\]]*"setTimeout"|\buseFakeTimers\(\)/;
const reason = /\/\/ Real time: [a-z].*\.$/;

/** Places where `text` of a test waits for time to pass and does not say why. */
function bareSleeps(text: string): number[] {
  if (fakes.test(text)) return [];
  const lines = text.split("\n");
  return lines.flatMap((line, at) =>
    sleeps.test(line) && !lines.slice(Math.max(0, at - 3), at + 1).some((near) => reason.test(near)) ? [at + 1] : [],
  );
}

test("no test waits for time to pass without a reason", () => {
  const files = globSync("test/**/*.test.ts", { cwd: repository, exclude: (name) => name.includes("node_modules") });
  expect(files.length).toBeGreaterThan(300);
  const found = files.flatMap((file) =>
    bareSleeps(readFileSync(`${repository}/${file}`, "utf8")).map((line) => `${file}:${line}`),
  );
  expect(found).toEqual([]);
});

test.for([
  ["await sleep(50);", [1]],
  ['work: () => delay(300, "done"),', [1]],
  ["await new Promise((resolve) => setTimeout(resolve, 1_000));", [1]],
  ["setTimeout(() => stop.abort(new Error()), 20);", [1]],
  ["a();\nb();\nawait sleep(20);", [3]],
  ["// Real time: another process has to start.\nawait sleep(50);", []],
  ["// Real time:\nawait sleep(50);", [2]],
  ["await sleep(5);", []],
  ["await sleep(5_000, signal);", []],
  ["await sleep(5_000, undefined, { signal });", []],
  ["using _time = fakeTime();\nawait sleep(50);", []],
] as const)("%j", ([text, lines]) => {
  expect(bareSleeps(text)).toEqual(lines);
});

// Tries every change of the sources within the process of the tests: each test is run once to see which changes it comes by, and
// then once for each of them that no test has noticed. All that is found is written down at once, since a change may end the process.
import { appendFileSync, writeFileSync } from "node:fs";
import { type RunnerTask, type RunnerTestCase, type RunnerTestFile, TestRunner } from "vitest";
import { type Finding, readFindings } from "./findings.ts";
import { ForgetfulMap, forgetAll } from "./forgetful-map.ts";
import { Watchdog } from "./watchdog.ts";

/** What instrumented sources read and write. */
interface Switch {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  readonly mutantCoverage: {
    readonly static: Record<string, number>;
    readonly perTest: Record<string, Record<string, number>>;
  };
}

// Vitest loads this module for each file anew; the sources keep the switch that they found first.
const shared = globalThis as { __stryker__?: Switch; ForgetfulMap?: typeof ForgetfulMap; forgetAll?: () => void };
shared.ForgetfulMap ??= ForgetfulMap;
shared.forgetAll ??= forgetAll;
shared.__stryker__ ??= { mutantCoverage: { static: {}, perTest: {} } };
const switchboard = shared.__stryker__;

const path = process.env.MUTATION_FINDINGS ?? "";
const current = `${path}.current`;
const decided = new Set<string>();
const survived = new Set<string>();
for (const finding of readFindings(path)) {
  if ("killed" in finding) decided.add(finding.killed);
  if ("survived" in finding) for (const id of finding.survived) survived.add(`${finding.test} ${id}`);
}
const suspect = process.env.MUTATION_SUSPECT;
const watchdog = new Watchdog();

export default class MutationRunner extends TestRunner {
  override onBeforeTryTask(...given: Parameters<TestRunner["onBeforeTryTask"]>): void {
    super.onBeforeTryTask(...given);
    // Else only the first test would come by what is made once.
    shared.forgetAll?.();
    switchboard.currentTestId = given[0].id;
  }

  override onAfterTryTask(...given: Parameters<TestRunner["onAfterTryTask"]>): void {
    switchboard.currentTestId = undefined;
    super.onAfterTryTask(...given);
  }

  override async onAfterRunFiles(files: RunnerTestFile[]): Promise<void> {
    note({ loaded: Object.keys(switchboard.mutantCoverage.static) });
    const tests = files.flatMap(casesOf).filter(({ result }) => result?.state === "pass");
    // Cheap ones first: most changes are noticed by the first test that comes by.
    tests.sort((a, b) => (a.result?.duration ?? 0) - (b.result?.duration ?? 0));
    for (const test of tests) await tryChanges(test);
    super.onAfterRunFiles(files);
  }
}

function casesOf(task: RunnerTask): RunnerTestCase[] {
  return task.type === "test" ? [task] : task.tasks.flatMap(casesOf);
}

function note(finding: Finding): void {
  appendFileSync(path, `${JSON.stringify(finding)}\n`);
}

/** A test that comes by a change more often than this, and ten times as often as without it, has run away: the watchdog would have to end the process. */
const mostHits = 1_000_000;

async function tryChanges(test: RunnerTestCase): Promise<void> {
  const hits = switchboard.mutantCoverage.perTest[test.id];
  if (hits === undefined) return;
  const name = `${test.file.name} > ${test.fullTestName}`;
  const ids = Object.keys(hits).filter((id) => !decided.has(id) && !survived.has(`${name} ${id}`));
  if (suspect !== undefined && ids.includes(suspect)) ids.unshift(suspect);
  const passed: string[] = [];
  for (const id of new Set(ids)) {
    writeFileSync(current, id);
    const error = await runWith(test, id, hits[id] ?? 0);
    if (error === undefined) {
      passed.push(id);
      continue;
    }
    const left = await runWith(test, undefined, 0);
    if (left !== undefined && id !== suspect) {
      // This change or one before it has left something behind: a new process tries it again, before all others.
      note({ test: name, survived: passed });
      note({ suspect: id });
      process.exit(1);
    }
    decided.add(id);
    note({ killed: id, test: name, error: error.slice(0, 200) });
    if (left !== undefined) process.exit(1);
  }
  if (passed.length > 0) note({ test: name, survived: passed });
  writeFileSync(current, "");
}

/** Runs the test with a change, or none. @returns what it threw */
async function runWith(test: RunnerTestCase, id: string | undefined, hits: number): Promise<string | undefined> {
  const run = TestRunner.getTestFn(test);
  shared.forgetAll?.();
  switchboard.currentTestId = "mutation";
  switchboard.activeMutant = id;
  switchboard.hitCount = 0;
  switchboard.hitLimit = Math.min(hits * 100, Math.max(hits * 10, mostHits)) + 1_000;
  watchdog.allow(2_000 + 20 * (test.result?.duration ?? 0));
  try {
    await run();
    return undefined;
  } catch (error) {
    return String(error);
  } finally {
    watchdog.rest();
    switchboard.activeMutant = undefined;
    switchboard.currentTestId = undefined;
  }
}

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CliIo, runCli } from "@planloom/cli";
import { benchPlans, freightGoals } from "./jobs.ts";

/**
 * Runs 20 plans of our own benches and examples once more, each on the command line as a user would, and writes what they took to workloads.json beside this file,
 * by `planloom journal export --workload`: numbers alone, no inputs, outputs or names. `pnpm bench:record`, some 10 s.
 */
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const home = await mkdtemp(join(tmpdir(), "planloom-record-"));

/** Runs a command line; what it wrote to standard output is dropped. @throws Error where it did not end well */
async function cli(...words: string[]): Promise<void> {
  const said: string[] = [];
  const io: CliIo = {
    stdout: { write: () => true } as unknown as CliIo["stdout"],
    stderr: { write: (text: string) => said.push(text) > 0 } as unknown as CliIo["stderr"],
    env: { ...process.env, PLANLOOM_HOME: home, PLANLOOM_TRUST: "" },
    cwd: home,
    signal: new AbortController().signal,
  };
  const code = await runCli(words, io);
  if (code !== 0) throw new Error(`planloom ${words.join(" ")} ended with ${code}: ${said.join("")}`);
}

try {
  const freight = here("../../../examples/freight/planloom.config.ts");
  for (const goal of freightGoals) await cli("run", goal, "--config", freight, "--controller", "embedded", "--json");
  for (const plan of benchPlans()) {
    const file = join(home, "plan.json");
    await writeFile(file, JSON.stringify(plan));
    await cli("run", file, "--config", here("config.ts"), "--json");
  }
  const all = String(freightGoals.length + benchPlans().length);
  const exported = join(home, "workloads.json");
  await cli("journal", "export", "--workload", "--limit", all, "--out", exported);
  // One run a line, so that the file is small and a new recording can be read as a change.
  const { instances, ...head } = JSON.parse(await readFile(exported, "utf8")) as {
    readonly instances: readonly object[];
  };
  const lines = instances.map((each) => JSON.stringify(each));
  await writeFile(
    here("workloads.json"),
    `${JSON.stringify({ ...head }).slice(0, -1)},"instances":[\n${lines.join(",\n")}\n]}\n`,
  );
  console.log(`${all} workloads recorded: ${here("workloads.json")}`);
} finally {
  await rm(home, { recursive: true });
}

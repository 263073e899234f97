import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandLine } from "../../packages/cli/src/cli.ts";
import { complete } from "../../packages/cli/src/completion/complete.ts";
import { valueKinds } from "../../packages/cli/src/completion/value-kinds.ts";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

const run = promisify(execFile);
let home: Awaited<ReturnType<typeof temporaryHome>>;
let env: Record<string, string>;

beforeAll(async () => {
  home = await temporaryHome();
  const bin = join(home.path, "bin");
  await mkdir(bin);
  const program = join(bin, "planloom");
  await writeFile(
    program,
    `#!/bin/sh\nexec "${process.execPath}" "${join(repository, "packages/cli/src/main.ts")}" "$@"\n`,
  );
  await chmod(program, 0o755);
  env = { ...home.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const plan = {
    task_id: "orders",
    planned_tasks: ["load", "send"].map((task_id) => ({ task_id, execution_type: "dsl", description: task_id })),
  };
  await writeFile(join(home.path, "plan.json"), JSON.stringify(plan));
  await runCliHere(["save", "plan.json"], home.env, home.path);
});
afterAll(() => home.remove());

type Program = ReturnType<typeof commandLine>;

const silent = { write() {} };
/** The table of commands, as `planloom` itself has it. */
const table = () =>
  commandLine(
    { stdout: silent, stderr: silent, env: home.env, cwd: home.path, signal: new AbortController().signal },
    false,
    () => {},
  );

/** Every command that may be given, with its words; those within others too. */
function everyCommand(of: Program, words: readonly string[] = []): { words: readonly string[]; command: Program }[] {
  return of.commands.flatMap((command) => {
    const own = [...words, command.name()];
    return [{ words: own, command }, ...everyCommand(command as Program, own)];
  });
}

const offered = async (...words: string[]) => {
  const written = await runCliHere(["complete", "--", ...words], home.env, home.path);
  expect(written.code).toBe(0);
  return written.stdout
    .trim()
    .split("\n")
    .map((line) => line.split("\t")[0]);
};

test("every command and each of its options is offered", async () => {
  const program = table();
  const io = { stdout: silent, stderr: silent, env: home.env, cwd: home.path, signal: new AbortController().signal };
  const values = async (words: readonly string[]) =>
    (await complete(words, program, io)).candidates.map(({ value }) => value);
  for (const { words, command } of everyCommand(program)) {
    if (words[0] === "complete") continue;
    expect(await values(words), words.join(" ")).toContain(words.at(-1));
    const own = command.options.filter(({ hidden }) => !hidden).map(({ long }) => long);
    expect(await values([...words, "--"]), words.join(" ")).toEqual([...own, "--help"]);
  }
});

test("of each name of an argument it is decided what stands there", () => {
  const own = ["goal", "message", "objective", "event", "url", "model", "shell", "words"];
  const names = everyCommand(table()).flatMap(({ command }) => command.registeredArguments.map((each) => each.name()));
  const undecided = names.filter((name) => valueKinds(name).length === 0 && !own.includes(name));
  expect([...new Set(undecided)]).toEqual([]);
});

test.for([
  { words: ["appr"], gives: ["approve", ":none"] },
  { words: ["memory", ""], gives: ["list", "forget", "help", ":none"] },
  { words: ["graph", "orders", "--format", "me"], gives: ["mermaid", ":none"] },
  { words: ["graph", "--format=g"], gives: ["--format=gexf", "--format=graphml", ":none"] },
  { words: ["graph", "--format", "=", "g"], gives: ["--format=gexf", "--format=graphml", ":none"] },
  { words: ["graph", "o"], gives: ["orders", ":files"] },
  { words: ["run", "--mcp", ""], gives: [":files"] },
  { words: ["bench", "--out", ""], gives: [":folders"] },
  { words: ["replan", "orders", "--mark", "s"], gives: ["send", ":none"] },
  { words: ["graph", "--", "--f"], gives: [":files"] },
  { words: ["nothing", "like", "this"], gives: [":none"] },
  { words: ["constructor", "__proto__", "--toString="], gives: [":none"] },
])("$words is completed by $gives", async ({ words, gives }) => {
  expect(await offered(...words)).toEqual(gives);
});

describe("the scripts, in the shells that are installed here", () => {
  const found = (shell: string) =>
    run(shell, ["--version"]).then(
      () => true,
      () => false,
    );

  test.for([
    { line: ["planloom", "appr"], gives: ["approve"] },
    { line: ["planloom", "graph", "o"], gives: ["orders"] },
    { line: ["planloom", "graph", "orders", "--format", "=", "gr"], gives: ["graphml"] },
    { line: ["planloom", "graph", "--format", "="], gives: ["ascii", "mermaid", "dot", "gexf", "graphml"] },
    { line: ["planloom", "save", "pl"], gives: ["plan.json"] },
  ])("bash completes $line", async ({ line, gives }, { skip }) => {
    skip(!(await found("bash")), "bash is not installed");
    const script = `eval "$(planloom completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _planloom 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["--norc", "-c", script, "bash", ...line], { env, cwd: home.path });
    expect(stdout.trim().split("\n")).toEqual(gives);
  });

  test("fish completes, with what each candidate means", async ({ skip }) => {
    skip(!(await found("fish")), "fish is not installed");
    const script = `planloom completion fish | source; complete -C "planloom appr"; complete -C "planloom graph --format="`;
    const { stdout } = await run("fish", ["--no-config", "-c", script], { env, cwd: home.path });
    expect(stdout.trim().split("\n")).toEqual([
      "approve\tsay yes to a task that waits",
      ...["ascii", "dot", "gexf", "graphml", "mermaid"].map((format) => `--format=${format}`),
    ]);
  });

  test("zsh completes at a terminal", async ({ skip }) => {
    skip(!(await found("zsh")), "zsh is not installed");
    const script = `zmodload zsh/zpty; zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -U compinit; compinit -u -D; eval \\"\\$(planloom completion zsh)\\"; echo rea''dy"
zpty -r shell line '*ready*'; zpty -w -n shell $'planloom appr\\t'; zpty -r shell line '*approve *'; echo $line`;
    const { stdout } = await run("zsh", ["-f", "-c", script], { env, cwd: home.path, timeout: 20_000 });
    expect(stdout).toContain("planloom approve");
  });
});

test.for([
  { name: "a verb", args: ["lst"], says: 'Unknown command "lst". Did you mean list?' },
  { name: "an option", args: ["list", "--jsn"], says: 'Unknown option "--jsn". Did you mean --json?' },
  { name: "a value", args: ["graph", "orders", "--format", "mermad"], says: "Did you mean mermaid?" },
  { name: "a plan", args: ["show", "ordrs"], says: 'Did you mean "orders"?' },
  { name: "a plan's file", args: ["run", "plam.json"], says: 'Did you mean "plan.json"?' },
  { name: "a plan's file that is only read", args: ["graph", "./plam.json"], says: 'Did you mean "plan.json"?' },
  { name: "a port that no machine has", args: ["serve", "--port", "99999"], says: "a whole number from 0 to 65535" },
  { name: "a plan to delete", args: ["delete", "oders"], says: 'Did you mean "orders"?' },
  { name: "a plan to edit", args: ["edit", "oders"], says: 'Did you mean "orders"?' },
  { name: "a verb of a verb", args: ["memory", "forgte"], says: "Did you mean forget?" },
])("$name that is mistyped gets a suggestion: $args", async ({ args, says }) => {
  const { code, stderr } = await runCliHere(args, home.env, home.path);
  expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  expect(stderr).toMatch(/\[(?:CLI_USAGE|CLI_NOT_FOUND|PLANLOOM_PLAN_NOT_FOUND)\]/);
});

test("without the name of a shell that of SHELL is taken, and an unknown one is refused", async () => {
  expect((await runCliHere(["completion"], { SHELL: "/usr/bin/fish" })).stdout).toContain("for fish");
  const { code, stderr } = await runCliHere(["completion"], { SHELL: "/bin/tcsh" });
  expect([code, stderr]).toEqual([2, expect.stringContaining("Expected the name of a shell: bash, zsh, fish.")]);
});

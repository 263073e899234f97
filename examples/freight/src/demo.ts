import { fileURLToPath } from "node:url";
import { type CliIo, runCli } from "@planloom/cli";

/** The main job on real input: plans and runs each goal with the embedded defaults. Exits 1 if one does not complete. */
const folder = fileURLToPath(new URL("..", import.meta.url));
const mcp = `${folder}mcp.json`;
const goals = [
  "Get facilities in Berlin, then their shipments, then check for contaminants",
  "Get shipments, facilities, and inspections",
  "Analyse today's contaminants in Hannover",
];

const interrupt = new AbortController();
process.once("SIGINT", () => interrupt.abort(new DOMException("Interrupted by Ctrl-C", "AbortError")));
const io: CliIo = {
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  signal: interrupt.signal,
};
const print = (text: string) => process.stdout.write(`${text}\n`);

print(`
Planloom plans and runs five jobs of a freight company. The tools are those of a real MCP server over
a SQLite database (examples/freight); no model and no key is used.
`);
let failed = 0;
const jobs = goals.length + 2;
for (const [at, goal] of goals.entries()) {
  print(`── ${at + 1} of ${jobs} ${"─".repeat(60)}`);
  if ((await runCli(["run", goal, "--mcp", mcp, "--controller", "embedded"], io)) !== 0) failed++;
  print("");
}
print(`── ${jobs - 1} of ${jobs} ${"─".repeat(60)}`);
print(`The second job again, in three worker processes. The optimizer groups its tasks for what a dispatch to
them costs, with the durations of the runs before: see what it predicts, and what comes of it.
`);
const grouped = ["run", goals[1]!, "--mcp", mcp, "--controller", "embedded", "--workers", "3"];
if ((await runCli(grouped, io)) !== 0) failed++;
print("");
print(`── ${jobs} of ${jobs} ${"─".repeat(60)}`);
print("A job with goal, objectives and steerability: its plan has tool, agent, dsl and llm tasks.\n");
// Without a model its llm task is skipped, with that reason; a skip is no failure.
const job = [
  "run",
  "--job",
  `${folder}job.yaml`,
  "--config",
  `${folder}planloom.config.ts`,
  "--controller",
  "embedded",
];
if ((await runCli(job, io)) !== 0) failed++;

print(`
What to try next
  your own question     pnpm planloom run "Show me this week's inspections" --mcp examples/freight/mcp.json
  only the plan         pnpm planloom plan "Get facilities in Hamburg" --mcp examples/freight/mcp.json --json
  your own tools        pnpm planloom run "…" --mcp your-mcp.json      (an mcpServers map, as other MCP hosts have it)
  a language model      OPENAI_API_KEY=… pnpm planloom run "…" --mcp … --model NAME --answer
                        (OPENAI_BASE_URL for any OpenAI-compatible server)
Where pnpm is not installed, npx -y pnpm@12 takes its place, as in npx -y pnpm@12 planloom --help.`);
process.exitCode = failed > 0 ? 1 : 0;

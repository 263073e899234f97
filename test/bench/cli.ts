/**
 * How long the command line takes to start and to plan: medians of processes of their own, on a warm machine (compile cache and
 * files read once before). `node test/bench/cli.ts [--runs N] [--json] [--installed]`; exits 1 when a figure is over its target.
 * With `--installed` the packages are built, packed and installed with npm in an empty folder, as users get them, and run there.
 */
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const mcp = join(repository, "examples/freight/mcp.json");
const server = join(repository, "examples/freight/src/server.ts");
const goal = "Get facilities in Berlin, then their shipments, then check for contaminants";

const { values } = parseArgs({
  options: { runs: { type: "string", default: "11" }, json: { type: "boolean" }, installed: { type: "boolean" } },
});
const runs = Number(values.runs);
const home = await mkdtemp(join(tmpdir(), "planloom-bench-"));
const env = { ...process.env, PLANLOOM_HOME: join(home, "home"), FREIGHT_DB: join(home, "freight.sqlite") };

/** Packs every package, installs them in a folder of their own and returns the command's file there. */
async function installed(): Promise<string> {
  const command = promisify(execFile);
  const packs = join(home, "packs");
  const folder = join(home, "installed");
  await mkdir(packs);
  await mkdir(folder);
  await command("pnpm", ["build"], { cwd: repository });
  await command("pnpm", ["-r", "--filter", "./packages/*", "exec", "pnpm", "pack", "--pack-destination", packs], {
    cwd: repository,
  });
  await writeFile(join(folder, "package.json"), "{}");
  const archives = (await readdir(packs)).map((file) => join(packs, file));
  await command("npm", ["install", "--no-audit", "--no-fund", ...archives], { cwd: folder });
  return join(folder, "node_modules/@planloom/cli/bin/planloom.js");
}

interface Row {
  readonly name: string;
  readonly medianMs: number;
  readonly bestMs: number;
  readonly targetMs?: number;
}

/** Milliseconds from starting the process to its end. */
function timeOf(args: readonly string[], input?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const child = spawn(process.execPath, args, { env, cwd: home, stdio: ["pipe", "pipe", "inherit"] });
    child.stdout.on("data", () => {
      // The server's first answer is the end of its start.
      if (input !== undefined) child.stdin.end();
    });
    child.once("error", reject);
    child.once("close", (code) =>
      code === 0 ? resolve(performance.now() - began) : reject(new Error(`exit ${code}`)),
    );
    if (input === undefined) child.stdin.end();
    else child.stdin.write(input);
  });
}

async function measure(name: string, args: readonly string[], targetMs?: number, input?: string): Promise<Row> {
  await timeOf(args, input);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await timeOf(args, input));
  times.sort((a, b) => a - b);
  const row = { name, medianMs: times[Math.floor(runs / 2)] ?? Number.NaN, bestMs: times[0] ?? Number.NaN };
  return targetMs === undefined ? row : { ...row, targetMs };
}

const hello = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "1" } },
})}\n`;

try {
  const main = values.installed ? await installed() : join(repository, "packages/cli/src/main.ts");
  const config = join(home, "planloom.config.mjs");
  const tools = ["facilities_list", "shipments_list", "contaminants_list"].map((id) => ({
    kind: "tool",
    id,
    description: `List ${id.replace("_list", "")}`,
    input_schema: { type: "object", properties: { location: { type: "string" }, facility_id: { type: "string" } } },
  }));
  const executor = `{ kind: "tool", resources: () => (${JSON.stringify(tools)}), execute: async () => null }`;
  await writeFile(config, `export default { executors: [${executor}] };`);

  const bare = await measure("node, nothing at all", ["-e", "0"]);
  const help = await measure("--help", [main, "--help"], 150);
  const planned = await measure("plan, no server", [main, "plan", goal, "--config", config, "--json"], 400);
  const started = await measure("the server's own start", [server], undefined, hello);
  const whole = await measure("plan, freight server", [main, "plan", goal, "--mcp", mcp, "--json"]);
  const without: Row = {
    name: "plan, freight server, less its start",
    medianMs: whole.medianMs - started.medianMs,
    bestMs: whole.bestMs - started.bestMs,
    targetMs: 400,
  };
  const rows = [bare, help, planned, started, whole, without];
  if (values.json) process.stdout.write(`${JSON.stringify({ runs, node: process.version, rows }, null, 2)}\n`);
  else {
    for (const { name, medianMs, bestMs, targetMs } of rows) {
      const target = targetMs === undefined ? "" : `  target ${targetMs}${medianMs > targetMs ? "  OVER" : ""}`;
      const figures = `${medianMs.toFixed(0).padStart(5)} ms  best ${bestMs.toFixed(0).padStart(4)}`;
      process.stdout.write(`${name.padEnd(38)} ${figures}${target}\n`);
    }
  }
  if (rows.some(({ medianMs, targetMs }) => targetMs !== undefined && medianMs > targetMs)) process.exitCode = 1;
} finally {
  await rm(home, { recursive: true, force: true });
}

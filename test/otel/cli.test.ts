import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quickStartEnv } from "../support/child-env.ts";
import { otlpReceiver } from "../support/otlp-receiver.ts";

const run = promisify(execFile);
const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-otel-"));
  await writeFile(
    join(folder, "planloom.config.ts"),
    `import { defineConfig, defineTool } from ${JSON.stringify(import.meta.resolve("planloom"))};
     import { traceHeaders } from ${JSON.stringify(import.meta.resolve("planloom/plan"))};
     export default defineConfig({ tools: [
       defineTool({ id: "where", description: "Where", readOnly: true, execute: () => traceHeaders() }),
     ] });`,
  );
  await writeFile(
    join(folder, "plan.json"),
    JSON.stringify({ planned_tasks: [{ task_id: "look", execution_type: "tool", tool_id: "where" }] }),
  );
});
afterAll(() => rm(folder, { recursive: true }));

const planloom = (args: readonly string[], env: Readonly<Record<string, string>>) =>
  run(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args, "--config", "planloom.config.ts"], {
    cwd: folder,
    env: { ...quickStartEnv(), PATH: process.env.PATH, HOME: folder, PLANLOOM_HOME: join(folder, "home"), ...env },
    timeout: 60_000,
  });

test("`planloom run` exports its trace and figures to the endpoint that the environment names, from workers too", async () => {
  await using collector = await otlpReceiver();
  const { stdout } = await planloom(["run", "plan.json", "--workers", "1", "--json"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
  });
  const { results } = JSON.parse(stdout) as { results: { output: { traceparent: string } }[] };
  const byName = new Map(collector.spans.map((span) => [span.name, span]));
  const root = byName.get("invoke_workflow run");
  expect([...byName.keys()].sort()).toEqual(
    expect.arrayContaining(["execute_tool where", "invoke_workflow run", "task look"]),
  );
  // The grouping, which comes before the run, is a trace of its own.
  const elsewhere = collector.spans.filter(({ traceId }) => traceId !== root!.traceId);
  expect(elsewhere.map(({ name }) => name)).toEqual(["optimize"]);
  // The span of the tool is the worker's own, sent by it before it was ended.
  const tool = byName.get("execute_tool where")!;
  expect(results[0]!.output.traceparent).toBe(`00-${root!.traceId}-${tool.spanId}-01`);
  expect(collector.services).toEqual(new Set(["planloom"]));
  expect(collector.metrics).toContain("planloom.tasks");
});

test("a collector that is away costs neither the run nor much time", async () => {
  const { stdout } = await planloom(["run", "plan.json", "--json"], {
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
  });
  expect(JSON.parse(stdout)).toMatchObject({ end_reason: "completed" });
});

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freightJobFile, generateFreight } from "@planloom/example-freight";
import { connectMcpServers } from "@planloom/mcp";
import { Planloom } from "planloom";
import { expect, test } from "vitest";
import { parse } from "yaml";
import config from "../../examples/freight/planloom.config.ts";

test("the job in three parts runs with all four kinds of task; without a model its llm task is skipped and says why", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "freight-test-"));
  const env = { ...process.env, FREIGHT_DB: path.join(folder, "freight.sqlite"), FREIGHT_LATENCY_MS: "0" };
  const { mcpServers, ...options } = config;
  await using mcp = await connectMcpServers({ mcpServers: mcpServers ?? {} }, { env });
  const planloom = new Planloom({ ...options, executors: [mcp.executor] });
  try {
    const plan = await planloom.plan(parse(await readFile(freightJobFile, "utf8")));
    expect(plan.planned_tasks.map(({ execution_type }) => execution_type)).toEqual(
      expect.arrayContaining(["tool", "agent", "dsl", "llm"]),
    );
    expect(planloom.validate(plan).filter(({ severity }) => severity === "error")).toEqual([]);
    const { results } = await planloom.run(plan);
    const byId = new Map(results.map((result) => [result.task_id, result]));
    const hamburg = generateFreight().facilities.filter(({ location }) => location === "Hamburg");
    expect(byId.get("facilities_list")?.output).toEqual(hamburg);
    expect(byId.get("rank_carriers")?.output).toContainEqual(expect.objectContaining({ rank: 1 }));
    expect(byId.get("assess_facilities")?.output).toEqual({
      facilities: expect.arrayContaining(hamburg.map(({ id }) => expect.objectContaining({ facility_id: id }))),
      worst_carrier: expect.any(String),
    });
    expect(byId.get("write_report")).toMatchObject({
      status: "skipped",
      error: { message: expect.stringContaining("No model is configured") },
    });
  } finally {
    await planloom.close();
    await rm(folder, { recursive: true });
  }
});

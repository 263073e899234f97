import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type FreightData, freightConfigFile, freightTools, generateFreight } from "@planloom/example-freight";
import { connectMcpServers, type McpConnection, type McpLogEntry } from "@planloom/mcp";
import { type ExecutionContext, PlannerTask } from "@planloom/plan";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

type Row = Record<string, unknown>;
const today = "2025-10-12";

let folder: string;
let connection: McpConnection;
const log: McpLogEntry[] = [];
const data: FreightData = generateFreight();

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "freight-test-"));
  const env = {
    ...process.env,
    FREIGHT_DB: path.join(folder, "freight.sqlite"),
    FREIGHT_TODAY: today,
    FREIGHT_LATENCY_MS: "0",
  };
  connection = await connectMcpServers(freightConfigFile, { env, onLog: (entry) => log.push(entry) });
});
afterAll(async () => {
  await connection.close();
  await rm(folder, { recursive: true });
});

async function list(tool: string, input: Row = {}): Promise<Row[]> {
  const context: ExecutionContext = {
    signal: AbortSignal.timeout(10_000),
    attempt: 1,
    idempotencyKey: "key",
    runId: "run",
    task: PlannerTask.parse({}),
    onProgress() {},
    onUsage: () => {},
    onCall: () => {},
  };
  const output = await connection.executor.execute({ uid: `freight/${tool}`, input_data: input }, context);
  expect(Array.isArray(output)).toBe(true);
  return output as Row[];
}

const offset = (row: Row): number => (Date.parse(String(row.date)) - Date.parse(today)) / 86_400_000;
const newestFirst = (a: Row, b: Row): number =>
  "date" in a ? offset(b) - offset(a) || String(a.id).localeCompare(String(b.id)) : 0;
const ids = (rows: readonly { id?: unknown }[]): unknown[] => rows.map(({ id }) => id).sort();

test("the server offers the catalogue, as a plan should see it", () => {
  expect(
    connection.resources.map(({ id, name, input_schema, output_schema, read_only, idempotent }) => ({
      id,
      name,
      input_schema,
      output_schema,
      read_only,
      idempotent,
    })),
  ).toEqual(
    freightTools.map(({ id, input_schema, output_schema }) => ({
      id: `freight/${id}`,
      name: id,
      input_schema,
      output_schema: expect.objectContaining(output_schema as Row),
      read_only: true,
      idempotent: true,
    })),
  );
  expect(log).toEqual([]);
});

describe("every filter keeps what it should", () => {
  const berlin = data.facilities.filter(({ location }) => location === "Berlin").map(({ id }) => id);
  test.for<{ tool: keyof typeof tables; input: Row; keeps: (row: Row) => boolean }>([
    { tool: "facilities_list", input: {}, keeps: () => true },
    { tool: "facilities_list", input: { location: "Berlin" }, keeps: (row) => row.location === "Berlin" },
    { tool: "facilities_list", input: { location: " hanover " }, keeps: (row) => row.location === "Hannover" },
    { tool: "facilities_list", input: { location: "Atlantis" }, keeps: () => false },
    { tool: "facilities_list", input: { type: "disposal" }, keeps: (row) => row.type === "disposal" },
    { tool: "facilities_list", input: { min_capacity: 500 }, keeps: (row) => Number(row.capacity) >= 500 },
    {
      tool: "facilities_list",
      input: { ids: ["F01", "F03", "F99"] },
      keeps: (row) => row.id === "F01" || row.id === "F03",
    },
    { tool: "shipments_list", input: { date_from: "2025-10-05" }, keeps: (row) => offset(row) >= -7 },
    {
      tool: "shipments_list",
      input: { date_from: "2025-10-11", date_to: "2025-10-11" },
      keeps: (row) => offset(row) === -1,
    },
    { tool: "shipments_list", input: { facility_id: "F01" }, keeps: (row) => row.facility_id === "F01" },
    {
      tool: "shipments_list",
      input: { facility_id: berlin },
      keeps: (row) => berlin.includes(String(row.facility_id)),
    },
    { tool: "shipments_list", input: { facility_id: [] }, keeps: () => false },
    { tool: "shipments_list", input: { status: "rejected" }, keeps: (row) => row.status === "rejected" },
    { tool: "shipments_list", input: { has_contaminants: true }, keeps: (row) => row.has_contaminants === true },
    {
      tool: "shipments_list",
      input: { has_contaminants: false, status: "in_transit" },
      keeps: (row) => row.has_contaminants === false && row.status === "in_transit",
    },
    { tool: "shipments_list", input: { waste_type: "Paper" }, keeps: (row) => row.waste_type === "paper" },
    { tool: "shipments_list", input: { carrier: "marder & sohn" }, keeps: (row) => row.carrier === "Marder & Sohn" },
    { tool: "contaminants_list", input: {}, keeps: () => true },
    {
      tool: "contaminants_list",
      input: { shipment_ids: ["S2401", "S2402"] },
      keeps: (row) => row.shipment_id === "S2401" || row.shipment_id === "S2402",
    },
    { tool: "contaminants_list", input: { shipment_ids: [] }, keeps: () => false },
    {
      tool: "contaminants_list",
      input: { facility_id: berlin, date_from: today, date_to: today },
      keeps: (row) => berlin.includes(String(row.facility_id)) && offset(row) === 0,
    },
    { tool: "contaminants_list", input: { type: "LEAD" }, keeps: (row) => row.type === "lead" },
    { tool: "contaminants_list", input: { risk_level: "critical" }, keeps: (row) => row.risk_level === "critical" },
    { tool: "inspections_list", input: { status: "accepted" }, keeps: (row) => row.status === "accepted" },
    { tool: "inspections_list", input: { date_to: "2025-07-01" }, keeps: (row) => String(row.date) <= "2025-07-01" },
    { tool: "inspections_list", input: { facility_id: ["F02"] }, keeps: (row) => row.facility_id === "F02" },
    { tool: "inspections_list", input: { shipment_id: "S2402" }, keeps: (row) => row.shipment_id === "S2402" },
    {
      tool: "inspections_list",
      input: { has_risk_contaminants: true },
      keeps: (row) => row.has_risk_contaminants === true,
    },
  ])("$tool $input", async ({ tool, input, keeps }) => {
    const limit = tool === "shipments_list" || tool === "inspections_list" ? { limit: 1000 } : {};
    const rows = await list(tool, { ...input, ...limit });
    expect(ids(rows)).toEqual(ids(tables[tool]().filter(keeps).sort(newestFirst).slice(0, 1000)));
    if (rows.length > 1 && "date" in rows[0]!) expect(rows.map(offset)).toEqual(rows.map(offset).sort((a, b) => b - a));
  });
});

/** The generator's rows as the tools render them: what the filters are checked against. */
const tables = {
  facilities_list: (): Row[] => data.facilities.map((row) => ({ ...row })),
  shipments_list: (): Row[] => rendered(data.shipments),
  contaminants_list: (): Row[] => rendered(data.contaminants),
  inspections_list: (): Row[] => rendered(data.inspections),
};

function rendered(rows: readonly { day: number }[]): Row[] {
  return rows.map(({ day, ...row }: { day: number } & Row) => ({
    ...row,
    ...("has_contaminants" in row && { has_contaminants: row.has_contaminants === 1 }),
    ...("has_risk_contaminants" in row && { has_risk_contaminants: row.has_risk_contaminants === 1 }),
    date: new Date(Date.parse(today) + day * 86_400_000).toISOString().slice(0, 10),
  }));
}

test("shipments and inspections give 100 rows by default, the newest first", async () => {
  expect(await list("shipments_list")).toHaveLength(100);
  expect(await list("inspections_list")).toHaveLength(100);
  expect(await list("shipments_list", { limit: 3 })).toEqual((await list("shipments_list")).slice(0, 3));
});

test.for([
  { input: { status: "lost" }, says: "status" },
  { input: { limit: 2000 }, says: "limit" },
  { input: { limit: 0 }, says: "limit" },
  { input: { date_from: "yesterday" }, says: "date_from" },
  { input: { colour: "red" }, says: "additional" },
  { input: { facility_id: 7 }, says: "facility_id" },
])("shipments_list refuses $input", async ({ input, says }) => {
  await expect(list("shipments_list", input)).rejects.toThrow(says);
});

test("text is a value, never SQL", async () => {
  expect(await list("facilities_list", { location: "Berlin' OR '1'='1" })).toEqual([]);
  expect(await list("shipments_list", { facility_id: ["F01'); DROP TABLE shipments; --"] })).toEqual([]);
  expect(await list("shipments_list", { limit: 1 })).toHaveLength(1);
});

test("today's contaminants in Hannover are found on the real day", async () => {
  const env = { ...process.env, FREIGHT_DB: path.join(folder, "freight.sqlite"), FREIGHT_LATENCY_MS: "0" };
  await using real = await connectMcpServers(freightConfigFile, { env });
  const context = { signal: AbortSignal.timeout(10_000), onProgress() {} } as unknown as ExecutionContext;
  const run = (tool: string, input: Row) =>
    real.executor.execute({ uid: `freight/${tool}`, input_data: input }, context);
  const facilities = (await run("facilities_list", { location: "Hannover" })) as Row[];
  const now = new Date();
  const day = `${now.getFullYear()}-${String(now.getMonth() + 1).padStart(2, "0")}-${String(now.getDate()).padStart(2, "0")}`;
  const found = await run("contaminants_list", {
    facility_id: facilities.map(({ id }) => id),
    date_from: day,
    date_to: day,
  });
  expect((found as Row[]).length).toBeGreaterThan(0);
});

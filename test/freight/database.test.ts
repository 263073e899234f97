import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Calendar, cities, databaseFile, generateFreight, latency, openFreight } from "@planloom/example-freight";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "freight-test-"));
});
afterAll(() => rm(folder, { recursive: true }));

describe("the generator", () => {
  const data = generateFreight();

  test("gives the same rows every time, others for another seed", () => {
    expect(generateFreight()).toEqual(data);
    expect(generateFreight(1)).not.toEqual(data);
  });

  test("gives enough of everything", () => {
    expect(data.shipments.length).toBeGreaterThanOrEqual(2_000);
    expect(data.facilities.length).toBeGreaterThanOrEqual(32);
    expect(data.contaminants.length).toBeGreaterThan(300);
    expect(data.inspections.length).toBeGreaterThan(800);
    expect(new Set(data.facilities.map(({ location }) => location))).toEqual(new Set(cities));
  });

  test("gives every city a find today", () => {
    const cityOf = new Map(data.facilities.map(({ id, location }) => [id, location]));
    const found = data.contaminants.filter(({ day }) => day === 0).map(({ facility_id }) => cityOf.get(facility_id));
    expect(new Set(found)).toEqual(new Set(cities));
  });

  test("gives rows that agree with each other", () => {
    const shipments = new Map(data.shipments.map((row) => [row.id, row]));
    const dirty = new Set(data.contaminants.map(({ shipment_id }) => shipment_id));
    expect(shipments.size).toBe(data.shipments.length);
    for (const row of [...data.contaminants, ...data.inspections]) {
      expect(shipments.get(row.shipment_id)?.facility_id).toBe(row.facility_id);
      expect(row.day).toBeLessThanOrEqual(0);
    }
    for (const { id, has_contaminants } of data.shipments) expect(dirty.has(id)).toBe(has_contaminants === 1);
  });
});

describe("the database", () => {
  test("is made once and opened after that", () => {
    const file = path.join(folder, "once", "freight.sqlite");
    const first = openFreight(file);
    const inode = first.prepare("SELECT count(*) AS n FROM shipments").get();
    first.close();
    const again = openFreight(file);
    expect(again.prepare("SELECT count(*) AS n FROM shipments").get()).toEqual(inode);
    expect(() => again.exec("DELETE FROM shipments")).toThrow(/readonly/);
    again.close();
  });

  test("a file that is no database is replaced", async () => {
    const file = path.join(folder, "broken.sqlite");
    await writeFile(file, "this is no database at all, only text that is long enough to be looked at");
    const database = openFreight(file);
    expect(database.prepare("SELECT count(*) AS n FROM facilities").get()).toEqual({
      n: generateFreight().facilities.length,
    });
    database.close();
  });

  test("processes that start together all get a whole one, and leave nothing else behind", async () => {
    const file = path.join(folder, "race", "freight.sqlite");
    const script = `import { openFreight } from "@planloom/example-freight";
      const database = openFreight(process.argv[1]);
      console.log(database.prepare("SELECT count(*) AS n FROM shipments").get().n, database.prepare("PRAGMA integrity_check").get().integrity_check);`;
    const runs = await Promise.all(
      Array.from({ length: 4 }, () =>
        promisify(execFile)(
          process.execPath,
          ["--input-type=module", "--disable-warning=ExperimentalWarning", "-e", script, file],
          {
            cwd: import.meta.dirname,
          },
        ),
      ),
    );
    const expected = `${generateFreight().shipments.length} ok`;
    expect(runs.map(({ stdout }) => stdout.trim())).toEqual(Array(4).fill(expected));
    expect(await readdir(path.dirname(file))).toEqual(["freight.sqlite"]);
  });

  test("lies where the environment says", () => {
    expect(databaseFile({ FREIGHT_DB: "/data/my.sqlite", PLANLOOM_HOME: "/home" })).toBe("/data/my.sqlite");
    expect(databaseFile({ FREIGHT_DB: "", PLANLOOM_HOME: "/home/loom" })).toBe("/home/loom/cache/freight-1.sqlite");
    expect(databaseFile({})).toContain(tmpdir());
  });
});

describe("the calendar", () => {
  const calendar = new Calendar("2025-10-12");
  test.for([
    { day: "2025-10-12", offset: 0 },
    { day: "2025-10-05", offset: -7 },
    { day: "2025-11-01", offset: 20 },
    { day: "2024-02-29", offset: -591 },
  ])("$day is $offset", ({ day, offset }) => {
    expect(calendar.offset(day)).toBe(offset);
    expect(calendar.day(offset)).toBe(day);
  });
  test.for(["2025-02-30", "2025-13-01", "12.10.2025", "today", ""])("%j is no day", (text) => {
    expect(() => calendar.offset(text)).toThrow("2025-10-12");
  });
  test("today is the local calendar's", () => {
    expect(new Calendar(new Date(2025, 9, 12, 23, 59)).day(0)).toBe("2025-10-12");
  });
});

describe("the latency", () => {
  test("is the same for the same call and stays in its range", () => {
    const wait = latency("20-80");
    const times = Array.from({ length: 100 }, (_, index) => wait("shipments_list", { limit: index }));
    expect(times).toEqual(Array.from({ length: 100 }, (_, index) => wait("shipments_list", { limit: index })));
    expect(Math.min(...times)).toBeGreaterThanOrEqual(20);
    expect(Math.max(...times)).toBeLessThanOrEqual(80);
    expect(new Set(times).size).toBeGreaterThan(20);
  });
  test("can be fixed or none", () => {
    expect(latency("7")("a", {})).toBe(7);
    expect(latency("0")("a", {})).toBe(0);
    expect(() => latency("fast")).toThrow("20-80");
  });
});

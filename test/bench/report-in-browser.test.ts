import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  adversarialSearch,
  benchEnvironments,
  exampleFigures,
  generateWorkload,
  htmlReport,
  makeReport,
  runBench,
} from "@planloom/bench";
import { strategies } from "@planloom/optimizer";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedChromium } from "../support/browser.ts";

/** What `measure-page.js` finds. */
interface PageFigures {
  readonly sections: readonly string[];
  readonly pageWidth: number;
  readonly plots: number;
  readonly emptyPlots: readonly unknown[];
  readonly tinyText: readonly unknown[];
  readonly cutText: readonly unknown[];
  readonly faintText: readonly unknown[];
  readonly brokenLinks: readonly unknown[];
}

const measurePage = readFile(new URL("../support/measure-page.js", import.meta.url), "utf8");
const chromium = installedChromium();
if (chromium === undefined) {
  process.stderr.write(
    "report-in-browser: skipped, no Chromium on PATH (apt-get install chromium, or set CHROMIUM).\n",
  );
}

describe.skipIf(chromium === undefined)("the report in a browser", () => {
  let folder: string;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "report-"));
    const workloads = ["llm-plan-like", "layered", "fork-join"].map((family) => generateWorkload(family, 16, 1));
    const environments = benchEnvironments([4], [0, 1, 10]);
    const names = [...strategies.keys()].filter((name) => name !== "anytime");
    const rows = await runBench({ workloads, environments, strategies: names.map((name) => strategies.get(name)!) });
    const adversarial = await adversarialSearch({ strategies: names.slice(0, 6), restarts: 1, steps: 5, workers: 1 });
    const figures = await exampleFigures(workloads, environments, rows);
    const file = join(folder, "report.html");
    await writeFile(file, await htmlReport(makeReport({ rows, adversarial, ...figures })));
    url = pathToFileURL(file).href;
    browser = await puppeteer.launch({ executablePath: chromium!, args: ["--no-sandbox"] });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function withPage(width: number, scheme: string, look: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage();
    try {
      await page.setViewport({ width, height: 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await look(page);
    } finally {
      await page.close();
    }
  }

  test.for([
    { name: "a desk by light", width: 1280, scheme: "light" },
    { name: "a desk by dark", width: 1280, scheme: "dark" },
    { name: "a tablet by light", width: 820, scheme: "light" },
    { name: "a phone by light", width: 375, scheme: "light" },
    { name: "a phone by dark", width: 375, scheme: "dark" },
  ])("is readable on $name", { timeout: 60_000 }, async ({ width, scheme }) => {
    await withPage(width, scheme, async (page) => {
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      page.on("console", (message) => complaints.push(message.text()));
      page.on("pageerror", (error) => complaints.push(String(error)));
      await page.goto(url, { waitUntil: "load" });
      expect(asked).toEqual([url]);
      expect(complaints).toEqual([]);

      const seen = (await page.evaluate(await measurePage)) as PageFigures;
      expect(seen.sections).toEqual(["glance", "profiles", "gap", "pareto", "schedule", "adversarial"]);
      // The page itself never scrolls sideways; wide tables and the matrix do so in their own boxes.
      expect(seen.pageWidth).toBeLessThanOrEqual(width);
      expect(seen.plots).toBeGreaterThanOrEqual(7);
      expect(seen.emptyPlots).toEqual([]);
      expect(seen.tinyText).toEqual([]);
      expect(seen.cutText).toEqual([]);
      expect(seen.faintText).toEqual([]);
      expect(seen.brokenLinks).toEqual([]);
    });
  });

  test("is another page by dark than by light", { timeout: 60_000 }, async () => {
    const grounds: unknown[] = [];
    for (const scheme of ["light", "dark"]) {
      await withPage(800, scheme, async (page) => {
        await page.goto(url);
        grounds.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      });
    }
    expect(grounds[0]).not.toBe(grounds[1]);
  });
});

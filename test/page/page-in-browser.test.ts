import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { collectPageData, type PageData, pageHtml } from "@planloom/page";
import axe from "axe-core";
import { defineTool, memoryJournal, Planloom } from "planloom";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { installedChromium } from "../support/browser.ts";
import { pageDataOf } from "../support/page-data.ts";

const chromium = installedChromium();
if (chromium === undefined) {
  process.stderr.write("page-in-browser: skipped, no Chromium on PATH (apt-get install chromium, or set CHROMIUM).\n");
}

const hostile = `</script><img src="//x.invalid" onerror="wasAttacked=1"><script>wasAttacked=1</script>`;

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { html: string }[];
  }[];
}

/** What is wrong by axe's rules, where it is serious or worse. */
async function seriousProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate("axe.run()")) as AxeResult;
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** A run in which one task failed, one was skipped by that, and whose texts attack the page. */
async function runData(): Promise<PageData> {
  const journal = memoryJournal();
  const load = defineTool({
    id: "load",
    description: "Loads",
    execute: () => [
      { name: hostile, total: 3 },
      { name: "B", total: 4 },
    ],
  });
  const send = defineTool({
    id: "send",
    description: "Sends",
    execute: () => Promise.reject(new Error(`refused ${hostile}`)),
  });
  const planloom = new Planloom({ tools: [load, send], journal });
  await planloom.run(
    {
      title: `Orders ${hostile}`,
      planned_tasks: [
        { task_id: "first", title: "Load the orders", tool_id: "load", arguments: {} },
        { task_id: "second", title: hostile, tool_id: "send", arguments: { to: "${first[0].name}" } },
        { task_id: "third", tool_id: "load", dependencies: ["second"] },
      ],
    },
    { runId: "r" },
  );
  return collectPageData("r", { journal });
}

test("is at most 150 kB, compressed", async () => {
  expect(gzipSync(await pageHtml()).length).toBeLessThan(150_000);
});

describe.skipIf(chromium === undefined)("the page in a browser", () => {
  let folder: string;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "page-"));
    url = await written("run.html", await runData());
    browser = await puppeteer.launch({ executablePath: chromium!, args: ["--no-sandbox"] });
  }, 60_000);

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function written(name: string, data: PageData): Promise<string> {
    const file = join(folder, name);
    await writeFile(file, await pageHtml(data));
    return pathToFileURL(file).href;
  }

  async function withPage<T>(
    { width = 1280, scheme = "light", at = url }: { width?: number; scheme?: string; at?: string },
    look: (page: Page, seen: { readonly requests: string[]; readonly errors: string[] }) => Promise<T>,
  ): Promise<T> {
    const page = await browser.newPage();
    const seen = { requests: [] as string[], errors: [] as string[] };
    page.on("request", (request) => {
      if (!/^(?:file|blob|data):/.test(request.url())) seen.requests.push(request.url());
    });
    page.on("pageerror", (error) => seen.errors.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") seen.errors.push(message.text());
    });
    try {
      await page.setViewport({ width, height: 860 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.goto(at);
      await page.waitForFunction("globalThis.planloomGraph?.frames > 0", { polling: "raf" });
      return await look(page, seen);
    } finally {
      await page.close();
    }
  }

  const shown = (page: Page, selector: string) =>
    page.$$eval(selector, (found) => found.map((each) => each.textContent?.replace(/\s+/g, " ").trim()));

  test("shows the run, and texts from outside are texts", { timeout: 30_000 }, () =>
    withPage({}, async (page, seen) => {
      expect(await shown(page, "h1")).toEqual([`Orders ${hostile}`]);
      expect((await shown(page, ".facts"))[0]).toContain("1 of 3 completed · 1 failed");
      await page.click("#tab-Tasks");
      expect(await shown(page, "tbody tr td:nth-child(2)")).toEqual(["✓ completed", "✕ failed", "– skipped"]);
      await page.click("tbody tr:nth-child(1) button");
      expect(await shown(page, ".panel .table-box td")).toEqual([hostile, "3", "B", "4"]);
      await page.click("tbody tr:nth-child(2) button");
      expect((await shown(page, ".panel .error"))[0]).toBe(`refused ${hostile}`);
      expect(await page.evaluate("globalThis.wasAttacked")).toBeUndefined();
      expect(seen).toEqual({ requests: [], errors: [] });
    }),
  );

  test.for([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 375, scheme: "light" },
  ])("has nothing that axe calls serious, $width wide, $scheme", { timeout: 60_000 }, (how) =>
    withPage(how, async (page) => {
      expect(await seriousProblems(page)).toEqual([]);
      for (const tab of ["Tasks", "Log", "Changes"]) {
        await page.click(`#tab-${tab}`);
        expect(await seriousProblems(page)).toEqual([]);
      }
      await page.click("#tab-Tasks");
      await page.click("tbody tr:nth-child(2) button");
      expect(await seriousProblems(page)).toEqual([]);
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      expect(wide).toBeLessThanOrEqual(how.width);
    }),
  );

  test("is operated by keys: along dependencies, between tabs, over the moments of the run", { timeout: 30_000 }, () =>
    withPage({}, async (page) => {
      await page.focus(".graph canvas");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.waitForSelector(".panel");
      expect((await shown(page, ".panel code"))[0]).toBe("second");
      expect(await shown(page, ".graph [aria-live]")).toEqual([`${hostile}: failed`]);
      await page.keyboard.press("Escape");
      await page.waitForSelector(".panel", { hidden: true });
      await page.focus("#tab-Graph");
      await page.keyboard.press("ArrowRight");
      expect(await shown(page, '[role="tab"][aria-selected="true"]')).toEqual(["Tasks"]);
      await page.focus('input[type="range"]');
      await page.keyboard.press("Home");
      await page.waitForFunction("document.querySelectorAll('tbody .mark.pending').length === 3", { polling: "raf" });
    }),
  );

  test("lays a plan of 2,000 tasks out beside the page, and shows its subgraphs from afar", {
    timeout: 30_000,
  }, async () => {
    const at = await written("large.html", pageDataOf(2_000, 10));
    await withPage({ at }, async (page, seen) => {
      await page.waitForFunction("planloomState.layout.value !== undefined", { polling: "raf" });
      // The graph may hear of the layout a moment after the state has it.
      const found = await page.waitForFunction(
        `(() => {
        const graph = planloomGraph, { x, y, width, height } = planloomState.layout.value.groups[0];
        const at = (px, py) => graph.at((px - graph.view.x) * graph.view.scale, (py - graph.view.y) * graph.view.scale);
        graph.fitAll();
        const hit = at(x + width / 2, y + height / 2);
        return hit.group !== undefined && { groups: planloomState.layout.value.groups.length, hit };
      })()`,
        { polling: "raf" },
      );
      const { groups, hit } = (await found.jsonValue()) as { groups: number; hit: object };
      expect(groups).toBe(200);
      expect(hit).toEqual({ group: 0 });
      expect(seen).toEqual({ requests: [], errors: [] });
    });
  });
});

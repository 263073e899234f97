/**
 * `pnpm bench:page`: how fast the page is in a browser. For plans of 1,000 and 10,000 tasks: from opening the file to the first drawn graph, the time of
 * the layout, and frames a second, counted in the browser's own trace, while the graph is panned and 200 statuses change a second.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pageHtml } from "@planloom/page";
import { serve } from "@planloom/server";
import { defineTool, memoryJournal, Planloom } from "planloom";
import puppeteer, { type Browser } from "puppeteer-core";
import { installedChromium } from "../support/browser.ts";
import { pageDataOf } from "../support/page-data.ts";

const measuredMs = 4_000;

/** Runs in the page: pans for a while as 200 statuses change a second, at the scale that shows all, and nearer. */
const panAndChange = `(async (ms, scale) => {
  const graph = planloomGraph, state = planloomState;
  graph.fitAll();
  await new Promise((resolve) => setTimeout(resolve, 500));
  const start = { ...graph.view };
  if (scale > 0) graph.setView({ ...start, scale });
  let changed = 0, frames = 0;
  const began = performance.now();
  performance.mark("bench-begin");
  while (performance.now() - began < ms) {
    const now = await new Promise(requestAnimationFrame);
    frames += 1;
    const due = Math.floor(((now - began) / 1000) * 200);
    for (; changed < due; changed += 1) {
      const seq = 1000 + changed, timestamp = state.history.to + 1, taskId = state.data.value.plan.tasks[(changed * 7) % state.history.count].task_id;
      state.history.read(changed % 2 === 0 ? { type: "task-start", taskId, attempt: 1, seq, at: 0, timestamp, runId: "run" } : { type: "task-error", taskId, attempts: 1, error: { code: "TASK_FAILED", message: "" }, seq, at: 0, timestamp, runId: "run" });
    }
    state.history.statusesAt(Infinity, state.statusNumbers);
    state.version.value += 1;
    const angle = (now - began) / 700;
    const { x, y, scale: by } = graph.view;
    graph.setView({ x: x + (Math.cos(angle) * 9) / by, y: y + (Math.sin(angle) * 6) / by, scale: by });
  }
  performance.mark("bench-end");
  return { frames, seconds: (performance.now() - began) / 1000 };
})`;

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
  readonly ph: string;
}

async function measure(browser: Browser, folder: string, count: number, perGroup: number): Promise<void> {
  const file = join(folder, `${count}-${perGroup}.html`);
  await writeFile(file, await pageHtml(pageDataOf(count, perGroup)));
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  const opened = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForFunction("globalThis.planloomState?.layout.value !== undefined && planloomGraph.frames > 0", {
    polling: "raf",
  });
  const shownMs = performance.now() - opened;
  const figures: string[] = [];
  for (const [name, scale] of [
    ["all", 0],
    ["near", 0.8],
  ] as const) {
    await page.tracing.start({
      categories: ["devtools.timeline", "disabled-by-default-devtools.timeline.frame", "blink.user_timing"],
    });
    const run = (await page.evaluate(`${panAndChange}(${measuredMs}, ${scale})`)) as {
      frames: number;
      seconds: number;
    };
    const trace = JSON.parse(Buffer.from((await page.tracing.stop())!).toString()) as { traceEvents: TraceEvent[] };
    const begin = trace.traceEvents.find((each) => each.name === "bench-begin")!.ts;
    const end = trace.traceEvents.find((each) => each.name === "bench-end")!.ts;
    const drawn = trace.traceEvents.filter(
      ({ name: what, ts }) => what === "DrawFrame" && ts >= begin && ts <= end,
    ).length;
    figures.push(
      `${name}: ${(drawn / run.seconds).toFixed(1)} frames/s drawn, ${(run.frames / run.seconds).toFixed(1)} animated`,
    );
  }
  process.stdout.write(
    `${String(count).padStart(6)} tasks${perGroup > 0 ? ` in subgraphs of ${perGroup}` : ""}: shown after ${Math.round(shownMs)} ms; ${figures.join("; ")}\n`,
  );
  await page.close();
}

/** A run of `count` tasks from a server on this machine: when the first content is painted, and when its graph is drawn; nothing is kept from before. */
async function fromServer(browser: Browser, count: number): Promise<void> {
  const load = defineTool({ id: "load", description: "Loads", readOnly: true, execute: () => ({ rows: 3 }) });
  const journal = memoryJournal({ events: true });
  const planloom = new Planloom({ tools: [load], journal, concurrency: 64 });
  const planned_tasks = pageDataOf(count).plan.tasks.map((task) => ({ ...task, arguments: {} }));
  await planloom.run({ task_id: "measured", planned_tasks }, { runId: "measured" });
  await using server = await serve(planloom, { port: 0 });
  const [paints, graphs]: [number[], number[]] = [[], []];
  for (let round = 0; round < 5; round += 1) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    await page.setViewport({ width: 1280, height: 800 });
    await page.goto(`${server.url}/#/runs/measured`);
    await page.waitForFunction("globalThis.planloomState?.layout.value !== undefined && planloomGraph.frames > 0", {
      polling: "raf",
    });
    graphs.push((await page.evaluate("performance.now()")) as number);
    paints.push(
      (await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN")) as number,
    );
    await context.close();
  }
  const said = (times: number[]) => times.map((ms) => Math.round(ms)).join(", ");
  process.stdout.write(
    `${String(count).padStart(6)} tasks from a server: first content painted after ${said(paints)} ms, graph drawn after ${said(graphs)} ms\n`,
  );
}

const chromium = installedChromium();
if (chromium === undefined) {
  process.stderr.write("bench:page: no Chromium on PATH (apt-get install chromium, or set CHROMIUM).\n");
  process.exitCode = 1;
} else {
  const folder = await mkdtemp(join(tmpdir(), "bench-page-"));
  const browser = await puppeteer.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  try {
    process.stdout.write(`load ${loadavg()[0]!.toFixed(1)}\n`);
    await fromServer(browser, 1_000);
    for (const count of [1_000, 10_000])
      for (const perGroup of [0, 10]) await measure(browser, folder, count, perGroup);
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

import { defineTool } from "planloom";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { installedChromium } from "../support/browser.ts";
import { sendMail, startServer, type TestServer, weather } from "./support.ts";

const chromium = installedChromium();
if (chromium === undefined) {
  process.stderr.write("server/page: skipped, no Chromium on PATH (apt-get install chromium, or set CHROMIUM).\n");
}

test("the page has its policy, needs no token and is asked for with a slash", async () => {
  await using server = await startServer({
    basePath: "/planloom",
    tokens: [{ name: "ops", token: "a-token-that-is-long-enough-0123456789" }],
  });
  const bare = await fetch(`${server.url}/planloom`, { redirect: "manual" });
  expect([bare.status, bare.headers.get("location")]).toEqual([308, "/planloom/"]);
  const page = await fetch(`${server.url}/planloom/`);
  expect(page.headers.get("content-security-policy")).toBe("frame-ancestors 'none'");
  expect(await page.text()).toMatch(
    /http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/,
  );
  expect((await fetch(`${server.url}/planloom/runs/r/page`)).status).toBe(401);
});

describe.skipIf(chromium === undefined)("the page of a server in a browser", { timeout: 60_000 }, () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await puppeteer.launch({ executablePath: chromium!, args: ["--no-sandbox"] });
  }, 60_000);
  afterAll(() => browser?.close());

  async function withPage(server: TestServer, path: string, look: (page: Page) => Promise<void>): Promise<void> {
    const page = await browser.newPage();
    const errors: unknown[] = [];
    page.on("pageerror", (error) => errors.push(error));
    try {
      await page.goto(server.url + path);
      await look(page);
      expect(errors).toEqual([]);
    } finally {
      await page.close();
    }
  }

  const says = (page: Page, selector: string, text: string) =>
    page.waitForFunction(
      `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
      { polling: 50 },
    );

  test("shows a run while it runs, without being loaded again, and finds it in the list", async () => {
    const release = Promise.withResolvers<void>();
    const gated = defineTool({
      id: "gated",
      description: "Waits",
      readOnly: true,
      execute: (_, { signal }) =>
        Promise.race([release.promise, new Promise((_, reject) => signal.addEventListener("abort", reject))]),
    });
    await using server = await startServer({}, { tools: [gated, weather] });
    const plan = {
      title: "Two steps",
      planned_tasks: [
        { task_id: "first", tool_id: "gated" },
        { task_id: "second", tool_id: "get_weather", arguments: { city: "Oslo" }, dependencies: ["first"] },
      ],
    };
    await server.call("POST", "/runs", { plan, run_id: "live" });
    await withPage(server, "/#/runs/live", async (page) => {
      await says(page, ".head .facts", "0 of 2 completed · 1 running");
      release.resolve();
      await says(page, ".head .facts", "2 of 2 completed");
      await says(page, ".status", "completed");
    });
    await withPage(server, "/", async (page) => {
      await says(page, "tbody", "Two steps");
      await page.type('input[type="search"]', "nothing like it");
      await says(page, ".runs", "No run fits.");
    });
  });

  test("cancels a run", async () => {
    const waits = defineTool({
      id: "waits",
      description: "Waits",
      readOnly: true,
      execute: (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
    });
    await using server = await startServer({}, { tools: [waits] });
    await server.call("POST", "/runs", {
      plan: { planned_tasks: [{ task_id: "one", tool_id: "waits" }] },
      run_id: "c",
    });
    await withPage(server, "/#/runs/c", async (page) => {
      await says(page, ".head .facts", "1 running");
      await page.click(".head .actions button");
      await says(page, ".status", "cancelled");
    });
  });

  test("approves a call that waits, and shows what became of it", async () => {
    await using server = await startServer({}, { tools: [weather, sendMail], confirm: "writes" });
    const plan = {
      planned_tasks: [{ task_id: "mail", tool_id: "send_mail", arguments: { to: "ann@example.com", text: "Hello" } }],
    };
    await server.call("POST", "/runs", { plan, run_id: "asks" });
    await withPage(server, "/#/runs/asks", async (page) => {
      await says(page, ".question", "ann@example.com");
      await page.type(".question input", "as agreed");
      await page.click(".question button.main");
      await says(page, ".status", "completed");
    });
    const journal = await server.planloom.journal();
    expect(await journal.getAnswers("asks")).toMatchObject([{ task_id: "mail", answer: "approve", note: "as agreed" }]);
  });

  test("plans a goal, judges an argument as it is typed, and runs the plan", async () => {
    const forecast = defineTool({
      id: "get_forecast",
      description: "Get the weather forecast of a city for a number of days",
      input: z.object({ city: z.string(), days: z.number().int().min(1) }),
      readOnly: true,
      execute: ({ city, days }) => ({ city, days }),
    });
    await using server = await startServer({}, { tools: [forecast] });
    await withPage(server, "/", async (page) => {
      await page.type(".start input", "Get the weather forecast for Oslo");
      await page.click(".start button");
      await says(page, ".head", "days is missing");
      await page.click(".head .facts button.link");
      await page.type("#argument-days", "0");
      await says(page, "#argument-days-issues", "1");
      await page.$eval("#argument-days", (input) => {
        (input as unknown as { value: string }).value = "";
      });
      await page.type("#argument-days", "3");
      await page.waitForSelector(".argument button.main:not([disabled])");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".head .actions button.main:not([disabled])");
      await page.click(".head .actions button.main");
      await says(page, ".status", "completed");
    });
    const { body } = await server.call("GET", "/runs");
    const { body: run } = await server.call("GET", `/runs/${body.runs[0].run_id}/plan`);
    expect(run.plan.planned_tasks[0].arguments).toEqual({ city: "Oslo", days: 3 });
  });

  test("asks for a token, and says when it is the wrong one", async () => {
    const token = "a-token-that-is-long-enough-0123456789";
    await using server = await startServer({ tokens: [{ name: "ops", token }] });
    await withPage(server, "/", async (page) => {
      await says(page, "h1", "wants a token");
      await page.type('input[type="password"]', "wrong-token-that-is-long-enough-0123456789");
      await page.click("button.main");
      await page.waitForSelector('input[type="password"]');
      await page.$eval('input[type="password"]', (input) => {
        (input as unknown as { value: string }).value = "";
      });
      await page.type('input[type="password"]', token);
      await page.click("button.main");
      await says(page, "h1", "Runs");
    });
  });
});

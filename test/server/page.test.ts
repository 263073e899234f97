import axe from "axe-core";
import { defineExecutor, defineTool, memoryJournal } from "planloom";
import { runPowers } from "planloom/runtime";
import puppeteer, { type Browser, type Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { installedChromium } from "../support/browser.ts";
import { type Loose, sendMail, startServer, type TestServer, untilStatus, weather } from "./support.ts";

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

  /** Waits for what is clicked, which a page may draw a moment after its other parts. */
  const click = (page: Page, selector: string) => page.locator(selector).click();

  const says = async (page: Page, selector: string, text: string) => {
    const isSaid = `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`;
    await page.waitForFunction(isSaid, { polling: 50 }).catch(async () => {
      const shown = await page.evaluate("document.body.innerText");
      throw new Error(`"${text}" is not in ${selector}. The page shows:\n${shown}`);
    });
  };

  /** Nothing that axe calls serious, in light and dark, on wide and narrow screens; `SCREENSHOTS` is a folder to look at them. */
  async function looksRight(page: Page, name: string): Promise<void> {
    await page.evaluate(axe.source);
    for (const [width, scheme] of [
      [1280, "light"],
      [1280, "dark"],
      [375, "light"],
    ] as const) {
      await page.setViewport({ width, height: 860 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      const problems = await page.evaluate(
        "axe.run().then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => id + ': ' + nodes[0].html))",
      );
      expect(problems, `${name}, ${width} wide, ${scheme}`).toEqual([]);
      const { SCREENSHOTS } = process.env;
      if (SCREENSHOTS !== undefined) await page.screenshot({ path: `${SCREENSHOTS}/${name}-${width}-${scheme}.png` });
    }
    await page.setViewport({ width: 1280, height: 860 });
  }

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

  test("shows a run live of which the journal keeps no events, and goes on after the server was away", async () => {
    const journal = memoryJournal();
    const first = await startServer({}, { journal, tools: [weather] });
    const plan = {
      planned_tasks: [
        { task_id: "paid", wait: { event: "payment" } },
        { task_id: "look", tool_id: "get_weather", arguments: { city: "Bonn" }, dependencies: ["paid"] },
      ],
    };
    await first.call("POST", "/runs", { plan, run_id: "quiet" });
    await untilStatus(first, "quiet", "waiting");
    await withPage(first, "/#/runs/quiet", async (page) => {
      await says(page, ".head .status", "waits");
      await first.running.close();
      await using second = await startServer({ port: first.running.port }, { journal, tools: [weather] });
      // The page has come back when the server has a listener.
      await expect
        .poll(async () => (await second.call("GET", "/metrics")).body, { timeout: 20_000 })
        .toContain("\nplanloom_event_listeners 1\n");
      await second.call("POST", "/runs/quiet/signals", { event: "payment" });
      await says(page, ".head .status", "completed");
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
      await click(page, ".head .actions button");
      await says(page, ".status", "cancelled");
    });
  });

  test("cancels a run that waits, and does not claim how fast it was before it has ended", async () => {
    await using server = await startServer({}, { tools: [weather] });
    const plan = {
      planned_tasks: [
        { task_id: "look", tool_id: "get_weather", arguments: { city: "Oslo" } },
        { task_id: "paid", wait: { event: "payment", key: "order-7" }, dependencies: ["look"] },
      ],
    };
    await server.call("POST", "/runs", { plan, run_id: "w" });
    await untilStatus(server, "w", "waiting");
    await withPage(server, "/#/runs/w", async (page) => {
      await says(page, ".head .facts", "1 waiting for a time or a signal");
      expect(await page.$eval(".head .facts", (facts) => facts.textContent)).not.toContain("best possible");
      await looksRight(page, "waiting-run");
      await click(page, ".head .actions button");
      await says(page, ".head .status", "cancelled");
      await says(page, ".head .facts", "best possible");
      await click(page, "#tab-Log");
      await says(page, ".log li", "endReason cancelled");
    });
  });

  test("shows what a replan changed: what is gone, what is new, and why", async () => {
    const failing = defineTool({
      id: "old_berths_list",
      description: "Lists the berths of a harbour",
      readOnly: true,
      output: z.object({ ids: z.array(z.string()) }),
      execute: () => {
        throw new Error("503");
      },
    });
    const working = defineTool({
      id: "berths_list",
      description: "Lists the berths of a harbour",
      readOnly: true,
      output: z.object({ ids: z.array(z.string()) }),
      execute: () => ({ ids: ["b1"] }),
    });
    await using server = await startServer({}, { tools: [failing, working, weather] });
    const plan = {
      title: "Harbour",
      planned_tasks: [
        {
          task_id: "berths",
          description: "List the berths",
          execution_type: "tool" as const,
          tool_id: "old_berths_list",
          retry: { max_attempts: 1 },
        },
        {
          task_id: "look",
          execution_type: "tool" as const,
          tool_id: "get_weather",
          arguments: { city: "${berths.ids[0]}" },
        },
      ],
    };
    const { end_reason } = await server.planloom.run(plan, { runId: "r", replanPolicy: { on: ["failure"] } });
    expect(end_reason).toBe("completed");
    await withPage(server, "/#/runs/r", async (page) => {
      await says(page, "#tab-Changes", "Changes (1)");
      await click(page, "#tab-Changes");
      await says(page, ".changes", "From the first plan to this one");
      const journal = await server.planloom.journal();
      const { revisions = [] } = await journal.getRun("r");
      const { task_id, replaced_by } = revisions[0]!.patch.replacements[0]!;
      const texts = await page.$$eval(".changes .removed, .changes .added", (each) => each.map((x) => x.textContent));
      expect(texts).toContain(`− ${task_id}`);
      expect(texts).toContain(`+ ${replaced_by[0]}`);
      expect(await page.$eval(".changes", (each) => each.textContent)).toContain("because of berths");
      await looksRight(page, "changes");
      // The name of a new task leads to it.
      await click(page, ".changes .added button");
      await says(page, ".panel h2", "");
      expect(await page.$eval(".panel .facts.muted", (each) => each.textContent)).toContain("berths_list");
    });
  });

  test("shows new runs also where there are more than a page of them, and finds runs by fields of their metadata and by time", async () => {
    await using server = await startServer();
    const task = { task_id: "a", tool_id: "get_weather", arguments: { city: "Oslo" } };
    const begin = (order: number) =>
      server.call("POST", "/runs", { plan: { title: `Order ${order}`, planned_tasks: [task] }, metadata: { order } });
    for (let order = 1; order <= 51; order += 1) await begin(order);
    await withPage(server, "/", async (page) => {
      await says(page, "tbody", "Order 51");
      await begin(52);
      // Real time: the list is asked for again every five seconds.
      await says(page, "tbody", "Order 52");
      await page.type("input[type=search]", "order=7");
      await page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
      await says(page, "tbody", "Order 7");
      await page.select("select[aria-label=Time]", "3600000");
      await says(page, "tbody", "Order 7");
      await looksRight(page, "runs-filtered");
    });
  });

  test("a run of a plan without a title is called by its own id", async () => {
    await using server = await startServer();
    const task = { task_id: "a", tool_id: "get_weather", arguments: { city: "Oslo" } };
    await server.call("POST", "/runs", { plan: { planned_tasks: [task] }, run_id: "order-47" });
    await withPage(server, "/", async (page) => {
      await says(page, "tbody a", "order-47");
      await click(page, "tbody a");
      await says(page, "h1", "order-47");
    });
  });

  test("lists saved plans beside the runs, on narrow screens too", async () => {
    await using server = await startServer();
    await server.call("POST", "/plans", { goal: "Send a mail to ann@example.com" });
    const plan = {
      task_id: "look",
      title: "Look out",
      planned_tasks: [{ tool_id: "get_weather", arguments: { city: "Oslo" } }],
    };
    await server.call("POST", "/plans", { plan });
    await server.call("POST", "/runs", { plan_id: "look", run_id: "looked" });
    await untilStatus(server, "looked", "completed");
    await withPage(server, "/", async (page) => {
      await says(page, "tbody", "Look out");
      await looksRight(page, "runs");
      await page.setViewport({ width: 375, height: 800 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
      await click(page, ".lists a");
      await says(page, "h1", "Plans");
      await says(page, "tbody", "lacks something");
      await looksRight(page, "plans");
      await page.select('select[aria-label="Status"]', "ready");
      await page.waitForFunction("document.querySelectorAll('tbody tr').length === 1");
      await click(page, "tbody a");
      await says(page, "h1", "Look out");
      expect(await page.$$eval(".tabs button", (tabs) => tabs.map((tab) => tab.textContent))).toEqual([
        "Graph",
        "Tasks",
      ]);
    });
  });

  test("shows the beginning of a long error, and how many elements a list had", async () => {
    const breaks = defineTool({
      id: "breaks",
      description: "Breaks",
      execute: () => {
        throw new Error(`502 for ann\n${"at module.function (file.js:1:1)\n".repeat(50)}`);
      },
    });
    await using server = await startServer({}, { tools: [breaks, weather] });
    const plan = {
      planned_tasks: [
        {
          task_id: "each",
          tool_id: "get_weather",
          for_each: { items: Array.from({ length: 2_000 }, (_, at) => `c${at}`) },
          arguments: { city: "${item}" },
        },
        { task_id: "bad", tool_id: "breaks", dependencies: ["each"] },
      ],
    };
    await server.call("POST", "/runs", { plan, run_id: "b" });
    await untilStatus(server, "b", "failed");
    await withPage(server, "/#/runs/b", async (page) => {
      await page.setViewport({ width: 1280, height: 860 });
      await page.waitForSelector("#tab-Tasks");
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(1) button");
      await says(page, ".panel", "2,000 elements: 2,000 completed");
      await click(page, "tbody tr:nth-child(2) button");
      await says(page, ".panel .error", "502 for ann");
      const length = () => page.$eval(".panel .error", (each) => each.textContent!.length);
      expect(await length()).toBeLessThan(400);
      await click(page, ".panel .error button");
      expect(await length()).toBeGreaterThan(1_500);
      await looksRight(page, "long-error");
    });
  });

  test("approves a call that waits, and shows what became of it", async () => {
    await using server = await startServer({ anonymousName: "ada" }, { tools: [weather, sendMail], confirm: "writes" });
    const plan = {
      planned_tasks: [{ task_id: "mail", tool_id: "send_mail", arguments: { to: "ann@example.com", text: "Hello" } }],
    };
    await server.call("POST", "/runs", { plan, run_id: "asks" });
    await withPage(server, "/#/runs/asks", async (page) => {
      await says(page, ".question", "ann@example.com");
      await page.type(".question input", "as agreed");
      await click(page, ".question button.main");
      await says(page, ".status", "completed");
    });
    const journal = await server.planloom.journal();
    expect(await journal.getAnswers("asks")).toMatchObject([
      { task_id: "mail", answer: "approve", note: "as agreed", by: "ada" },
    ]);
    await withPage(server, "/#/runs/asks", async (page) => {
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(1) button");
      await says(page, ".panel", "approved by ada");
      await looksRight(page, "answered");
    });
  });

  test("a task that is chosen in the table is in sight when the graph is shown again", async () => {
    await using server = await startServer({}, { tools: [weather] });
    const chain = Array.from({ length: 12 }, (_, at) => ({
      task_id: `t${at}`,
      tool_id: "get_weather",
      arguments: { city: "Bonn" },
      dependencies: at === 0 ? [] : [`t${at - 1}`],
    }));
    await server.call("POST", "/runs", { plan: { planned_tasks: chain }, run_id: "chain" });
    await untilStatus(server, "chain", "completed");
    await withPage(server, "/#/runs/chain", async (page) => {
      await page.waitForFunction("globalThis.planloomGraph?.frames > 0", { polling: "raf" });
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(12) button");
      await click(page, "#tab-Graph");
      // The middle of the task, in pixels of the canvas, beside the details that the table opened.
      const isInSight = `(() => {
        const { layout, selected } = planloomState, { view, size } = planloomGraph, at = selected.value;
        const x = (layout.value.x[at] - view.x) * view.scale, y = (layout.value.y[at] - view.y) * view.scale;
        const { clientWidth, clientHeight } = document.querySelector("canvas");
        return clientWidth > 0 && size.width === clientWidth && x > 0 && y > 0 && x < clientWidth && y < clientHeight;
      })()`;
      await page.waitForFunction(isInSight, { polling: "raf" });
    });
  });

  test("says what was answered in a run of the command line, and resumes it there", async () => {
    await using server = await startServer({ anonymousName: "ada" }, { tools: [weather, sendMail] });
    const task = { task_id: "mail", tool_id: "send_mail", arguments: { to: "ann@example.com", text: "Hello" } };
    const plan = { planned_tasks: [task] };
    // Not the server's: it does not go on by itself.
    expect((await server.planloom.run(plan, { runId: "theirs", confirm: "writes" })).end_reason).toBe(
      "waiting_approval",
    );
    await withPage(server, "/#/runs/theirs", async (page) => {
      await click(page, "#tab-Tasks");
      await says(page, ".question", "May send_mail be called?");
      await click(page, ".question button.main");
      await says(page, ".question", "send_mail: approved by ada");
      await looksRight(page, "answered-not-resumed");
      await click(page, ".question button.main");
      await says(page, ".status", "completed");
    });
    const journal = await server.planloom.journal();
    expect(await journal.getAnswers("theirs")).toHaveLength(1);
  });

  test("after a retry asks about the element whose outcome is unknown, and takes what it gave", async () => {
    const pay = defineTool({
      id: "pay",
      description: "Pay",
      input: z.object({ to: z.string() }),
      execute: ({ to }, { signal }) =>
        to === "bob"
          ? new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))
          : { paid: to },
    });
    await using server = await startServer({}, { tools: [pay] });
    const x = {
      task_id: "x",
      tool_id: "pay",
      for_each: { items: ["ann", "cid", "bob"] },
      arguments: { to: "${item}" },
      timeout_ms: 300,
    };
    await server.call("POST", "/runs", { plan: { planned_tasks: [x] }, run_id: "doubt", confirm: "never" });
    await untilStatus(server, "doubt", "failed");
    await withPage(server, "/#/runs/doubt", async (page) => {
      await says(page, ".head .actions", "Retry what failed");
      await click(page, ".head .actions button");
      await says(page, ".question", "x[2]#begun");
      await says(page, ".question", "bob");
      await looksRight(page, "unknown-outcome");
      // Also beside its task.
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(1) button");
      await says(page, ".panel .question", "Was pay carried out?");
      await click(page, ".panel .question button:first-of-type");
      await page.$eval(".panel .question textarea", (field) => (field as unknown as { select(): void }).select());
      await page.type(".panel .question textarea", '{"paid": "bob"}');
      await click(page, ".panel .question button.main");
      await says(page, ".head .status", "completed");
    });
    const { body } = await server.call("GET", "/runs/doubt/tasks/x");
    expect(body.record.output).toEqual([{ paid: "ann" }, { paid: "cid" }, { paid: "bob" }]);
  });

  test("cards of questions leave the buttons of the graph free, however many there are", async () => {
    await using server = await startServer({}, { tools: [sendMail], confirm: "writes" });
    const text = "A long letter. ".repeat(40);
    const planned_tasks = ["ann", "bob", "cid"].map((to) => ({
      task_id: to,
      tool_id: "send_mail",
      arguments: { to, text },
    }));
    await server.call("POST", "/runs", { plan: { planned_tasks }, run_id: "many" });
    await untilStatus(server, "many", "waiting_approval");
    await withPage(server, "/#/runs/many", async (page) => {
      await says(page, ".questions", "cid");
      await looksRight(page, "many-questions");
      for (const width of [1280, 375]) {
        await page.setViewport({ width, height: 860 });
        const covered = await page.$$eval(
          ".graph-buttons button",
          (buttons) =>
            (
              buttons as unknown as {
                getBoundingClientRect(): Record<string, number>;
                contains(it: unknown): boolean;
              }[]
            ).filter((button) => {
              const { left = 0, top = 0, width = 0, height = 0 } = button.getBoundingClientRect();
              const { document } = globalThis as unknown as {
                document: { elementFromPoint(x: number, y: number): unknown };
              };
              return !button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
            }).length,
        );
        expect(covered, `at ${width}`).toBe(0);
      }
    });
  });

  test("approves a call with another input, judged as it is typed", async () => {
    await using server = await startServer({}, { tools: [weather, sendMail], confirm: "writes" });
    const plan = {
      planned_tasks: [{ task_id: "mail", tool_id: "send_mail", arguments: { to: "ann@example.com", text: "Hello" } }],
    };
    await server.call("POST", "/runs", { plan, run_id: "edits" });
    await withPage(server, "/#/runs/edits", async (page) => {
      await says(page, ".question", "ann@example.com");
      await click(page, ".question button:last-child");
      const retype = async (text: string) => {
        await page.$eval(".question textarea", (field) => (field as unknown as { select(): void }).select());
        await page.type(".question textarea", text);
      };
      await retype("[1]");
      await says(page, ".question .error", "Expected an object");
      await looksRight(page, "edited-approval");
      expect(await page.$(".question button.main[disabled]")).not.toBeNull();
      await retype('{"to": "bob@example.com", "text": "Hello"}');
      await page.waitForSelector(".question button.main:not([disabled])");
      await page.evaluate(
        "globalThis.drawn = []; const { fillText } = CanvasRenderingContext2D.prototype; CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) { if (this.canvas.closest('.graph')) drawn.push(text); return fillText.call(this, text, ...rest); }",
      );
      await click(page, ".question button.main");
      await says(page, ".status", "completed");
      // The graph, which was drawn before, says so too.
      await page.waitForFunction("drawn.includes('mail (input changed)')", { polling: 50 });
      await says(page, ".head .facts", "1 task with an input changed by a person");
      await looksRight(page, "input-changed");
    });
    const { body } = await server.call("GET", "/runs/edits/tasks/mail");
    expect(body.record.output).toEqual({ sent: "bob@example.com" });
  });

  test("answers a question of an executor in words, and one that asks for more in JSON", async () => {
    const resources = [{ kind: "agent" as const, id: "desk", description: "Asks" }];
    const desk = defineExecutor({
      kind: "agent",
      resources: () => resources,
      delegates: () => true,
      async execute(_, context) {
        const { ask } = runPowers(context);
        const who = await ask("who", "Who takes it?", { about: { incident: 7 } });
        return [who, await ask("days", "In how many days?", { schema: { type: "integer" } })];
      },
    });
    await using server = await startServer({}, { executors: [desk] });
    const plan = { planned_tasks: [{ task_id: "d", execution_type: "agent", agent_id: "desk" }] };
    await server.call("POST", "/runs", { plan, run_id: "asks" });
    await untilStatus(server, "asks", "waiting_approval");
    await withPage(server, "/#/runs/asks", async (page) => {
      await says(page, ".question h3", "Who takes it?");
      await says(page, ".question .main", "Yes, without an answer");
      await looksRight(page, "person-question");
      await page.type(".question .answer", "Bob");
      await click(page, ".question button.main");
      await says(page, ".question h3", "In how many days?");
      await page.$eval(".question textarea", (field) => (field as unknown as { select(): void }).select());
      await page.type(".question textarea", "3");
      await says(page, ".question .main", "Answer");
      await click(page, ".question button.main");
      await says(page, ".head .status", "completed");
    });
    const { body } = await server.call("GET", "/runs/asks/tasks/d");
    expect(body.record.output).toEqual(["Bob", 3]);
  });

  test("sends a signal to a task that waits for one", async () => {
    await using server = await startServer({}, { tools: [weather] });
    const plan = {
      planned_tasks: [
        { task_id: "paid", wait: { event: "payment", key: "order-7" } },
        { task_id: "look", tool_id: "get_weather", arguments: { city: "${paid.city}" } },
      ],
    };
    await server.call("POST", "/runs", { plan, run_id: "waits" });
    await untilStatus(server, "waits", "waiting");
    await withPage(server, "/#/runs/waits", async (page) => {
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(1) button");
      await says(page, ".signal", "payment");
      await page.$eval(".signal textarea", (field) => (field as unknown as { select(): void }).select());
      await page.type(".signal textarea", '{"city": "Oslo"');
      await says(page, ".signal .error", "This is not JSON");
      await looksRight(page, "signal");
      await page.type(".signal textarea", "}");
      await page.waitForSelector(".signal button:not([disabled])");
      await click(page, ".signal button");
      await says(page, ".head .status", "completed");
      // What it took is that of the session that the signal began, and not of the time that it waited.
      await says(page, ".head .facts", "in its last session");
    });
    const { body } = await server.call("GET", "/runs/waits/tasks/look");
    expect(body.record.output).toEqual({ city: "Oslo", degrees: 21 });
  });

  test("retries what failed, runs again from a task, and shows the runs of one plan side by side with what changed", async () => {
    let isDown = true;
    const shop = defineTool({
      id: "shop",
      description: "Ask the shop",
      readOnly: true,
      input: z.object({ page: z.number() }),
      execute: ({ page }) => {
        if (isDown) throw new Error("the shop is closed");
        return { page };
      },
    });
    await using server = await startServer({}, { tools: [shop, weather] });
    const plan = (page: number) => ({
      task_id: "shopping",
      title: "Shopping",
      planned_tasks: [
        { task_id: "first", tool_id: "get_weather", arguments: { city: "Oslo" } },
        { task_id: "ask", tool_id: "shop", arguments: { page }, dependencies: ["first"] },
      ],
    });
    await server.call("POST", "/runs", { plan: plan(1), run_id: "old" });
    await untilStatus(server, "old", "failed");
    isDown = false;
    await withPage(server, "/#/runs/old", async (page) => {
      await says(page, ".head .actions", "Retry what failed");
      await click(page, ".head .actions button");
      await says(page, ".head .status", "completed");
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(2) button");
      await page.$$eval(".panel .actions button", (buttons) =>
        (buttons.at(-1) as unknown as { click(): void }).click(),
      );
      await page.waitForFunction("location.hash !== '#/runs/old'");
      await says(page, ".head .status", "completed");
    });
    await server.call("POST", "/runs", { plan: plan(2), run_id: "new" });
    await untilStatus(server, "new", "completed");
    await withPage(server, "/#/runs/new", async (page) => {
      await says(page, ".head .actions", "Beside other runs");
      await click(page, ".head .actions a");
      await says(page, ".grid", "ask");
      expect(await page.$$eval(".grid thead a", (links) => links.length)).toBe(3);
      await click(page, ".grid thead th:nth-child(2) button");
      await says(page, ".diff", "arguments.page");
      await looksRight(page, "runs-of-a-plan");
      expect(await page.$$eval(".diff td", (cells) => cells.map((cell) => cell.textContent))).toEqual(["1", "2"]);
    });
    const { body } = await server.call("GET", "/diff?from=runs/old&to=runs/new");
    expect(body.diff.changed).toMatchObject([{ task_id: "ask", changes: [{ path: "arguments.page" }] }]);
    const refused = await server.call("GET", "/diff?from=old&to=runs/none");
    expect([refused.status, refused.body.error.code]).toEqual([400, "SERVER_INVALID_REQUEST"]);
    expect((await server.call("GET", "/diff?from=runs/old&to=plans/none")).status).toBe(404);
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
      await click(page, ".start button");
      await says(page, ".head", "days is missing");
      await click(page, ".head .notes button.link");
      await page.type("#argument-days", "0");
      await says(page, "#argument-days-issues", "1");
      await page.$eval("#argument-days", (input) => {
        (input as unknown as { value: string }).value = "";
      });
      await page.type("#argument-days", "3");
      await page.waitForSelector(".argument button.main:not([disabled])");
      await page.keyboard.press("Enter");
      await page.waitForSelector(".head .actions button.main:not([disabled])");
      await click(page, ".head .actions button.main");
      await says(page, ".status", "completed");
    });
    const { body } = await server.call("GET", "/runs");
    const { body: run } = await server.call("GET", `/runs/${body.runs[0].run_id}/plan`);
    expect(run.plan.planned_tasks[0].arguments).toEqual({ city: "Oslo", days: 3 });
  });

  test("adds a task to a plan, keeps a text a text, and drops a task without losing the order of the others", async () => {
    await using server = await startServer({}, { tools: [weather, sendMail] });
    const step = (task_id: string, ...dependencies: string[]) => ({
      task_id,
      tool_id: "get_weather",
      arguments: { city: "Oslo" },
      dependencies,
    });
    const planned_tasks = [step("first"), step("second", "first"), step("third", "second")];
    await server.call("POST", "/plans", { plan: { task_id: "edited", planned_tasks } });
    const tasks = async () => (await server.call("GET", "/plans/edited")).body.plan.planned_tasks;
    await withPage(server, "/#/plans/edited", async (page) => {
      await click(page, "#tab-Tasks");
      await click(page, "tbody tr:nth-child(2) button");
      await page.waitForSelector("#argument-city");
      await page.$eval("#argument-city", (input) => (input as unknown as { select(): void }).select());
      await page.type("#argument-city", "12345");
      await page.waitForSelector(".argument button.main:not([disabled])");
      await click(page, ".argument button.main");
      await expect.poll(async () => (await tasks())[1].arguments).toEqual({ city: "12345" });
      await says(page, ".editor", "Drop this task");
      await page.waitForFunction("document.querySelector('.argument button.main') === null");
      await click(page, ".editor .actions button");
      await expect.poll(tasks).toMatchObject([{ task_id: "first" }, { task_id: "third", dependencies: ["first"] }]);
      await says(page, "tbody", "third");
      await page.waitForFunction("document.querySelectorAll('tbody tr').length === 2");
      await page.waitForSelector(".head .actions button:not(.main)");
      await click(page, ".head .actions button:not(.main)");
      const tools = "select[aria-label='Tool of the new task']";
      await page.waitForSelector(tools);
      await looksRight(page, "plan-add");
      await page.select(tools, "send_mail");
      // The new one lacks its arguments: the page says so once each, and does not run the plan.
      await says(page, ".head", "send_mail.to is missing");
      const said = await page.$eval(".head", ({ textContent }) => textContent ?? "");
      expect(said.match(/\bto\b/g)).toHaveLength(1);
      expect(await page.$(".head .actions button.main[disabled]")).not.toBeNull();
    });
    expect((await tasks()).map(({ tool_id }: Loose) => tool_id)).toEqual(["get_weather", "get_weather", "send_mail"]);
  });

  test("an address that is cut off within a letter is one of a run that there is not", async () => {
    await using server = await startServer();
    await withPage(server, "/#/runs/M%C3", async (page) => {
      await says(page, "main", 'No run "M%C3" is in the journal');
      await page.evaluate("location.hash = '#/plans/%/runs'");
      await says(page, "body", "%");
    });
  });

  test("asks for a token, and says when it is the wrong one", async () => {
    const token = "a-token-that-is-long-enough-0123456789";
    await using server = await startServer({ tokens: [{ name: "ops", token }] });
    await withPage(server, "/", async (page) => {
      await says(page, "h1", "wants a token");
      expect(await page.$eval("main", ({ textContent }) => textContent)).not.toContain("Bearer");
      await page.type('input[type="password"]', "wrong-token-that-is-long-enough-0123456789");
      await click(page, "button.main");
      await says(page, '[role="alert"]', "not one of this server's");
      await page.$eval('input[type="password"]', (input) => {
        (input as unknown as { value: string }).value = "";
      });
      await page.type('input[type="password"]', token);
      await click(page, "button.main");
      await says(page, "h1", "Runs");
    });
  });
});

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { runCli } from "@planloom/cli";
import { type ChatBehaviour, type ChatRequest, type ChatServer, startChatServer } from "@planloom/controller/testing";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;
let server: ChatServer;
let answer: (request: Said) => ChatBehaviour;

/** What the model was asked, in brief. */
interface Said {
  readonly request: ChatRequest;
  readonly tools: readonly string[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly last: { readonly role: string; readonly content: string };
}

const config = `
import { defineTool } from ${JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href)};
export default {
  tools: [
    defineTool({ id: "stock", description: "What is in stock", readOnly: true, execute: () => ({ paper: 2 }) }),
    defineTool({ id: "order", description: "Orders paper", execute: ({ sheets }) => "order of " + sheets + " is placed" }),
  ],
};
`;
const call = (name: string, args: object): ChatBehaviour => ({
  toolCalls: [{ name, arguments: JSON.stringify(args) }],
});

beforeAll(async () => {
  home = await temporaryHome();
  server = await startChatServer(
    [
      (request) => {
        const messages = request.body?.messages as Said["messages"];
        const tools = ((request.body?.tools ?? []) as { function: { name: string } }[]).map(
          (tool) => tool.function.name,
        );
        return answer({ request, tools, messages, last: messages.at(-1)! });
      },
    ],
    { repeat: true },
  );
  await writeFile(join(home.path, "planloom.config.mjs"), config);
});
beforeEach(() => {
  answer = () => ({ text: "Hello." });
});
afterAll(async () => {
  await server.close();
  await home.remove();
});

const environment = () => ({
  ...home.env,
  OPENAI_BASE_URL: server.baseURL,
  OPENAI_API_KEY: "none",
  PLANLOOM_MODEL: "m",
});
const cli = (...args: string[]) =>
  runCliHere(["chat", ...args, "--config", "planloom.config.mjs"], environment(), home.path);

/** A person at a terminal: what is shown, and a way to type. */
function terminal(...args: string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  let shown = "";
  const waiting: { readonly text: RegExp; readonly resolve: () => void }[] = [];
  const stop = new AbortController();
  const stdout = {
    isTTY: true,
    columns: 100,
    write(text: string) {
      shown += text;
      for (const each of waiting.splice(0)) {
        if (each.text.test(shown)) each.resolve();
        else waiting.push(each);
      }
      return true;
    },
    on() {},
    removeListener() {},
    once() {},
    end() {},
  };
  const done = runCli(["chat", ...args, "--config", "planloom.config.mjs"], {
    stdout,
    stderr: { write: () => true },
    env: { ...environment(), TERM: "dumb" },
    cwd: home.path,
    signal: stop.signal,
    input,
  });
  return {
    done,
    shown: () => shown,
    /** Waits until that is shown after what was seen before, and forgets what was shown. */
    async sees(text: RegExp) {
      if (!text.test(shown)) {
        await new Promise<void>((resolve, reject) => {
          waiting.push({ text, resolve });
          void done.then(() => reject(new Error(`It ended before ${text} was shown: ${shown}`)), reject);
        });
      }
      const before = shown;
      shown = "";
      return before;
    },
    type: (line: string) => input.write(`${line}\n`),
    press: (key: string) => input.write(key),
    leave: () => input.end(),
  };
}

test("one message gets one answer, with what tools gave in it; the conversation is kept and can be resumed", async () => {
  answer = ({ last, tools }) => {
    if (last.role === "tool") return { text: `There is ${last.content}` };
    expect(tools).toEqual(expect.arrayContaining(["stock", "order", "plan_create", "plan_execute"]));
    return call("stock", {});
  };
  const first = await cli("How much paper is there?", "--json");
  expect(first.code).toBe(0);
  const { chat_id, text, usage } = JSON.parse(first.stdout) as { chat_id: string; text: string; usage: object };
  expect(text).toBe('There is {"output":{"paper":2}}');
  expect(usage).toMatchObject({ input_tokens: 14 });
  answer = ({ messages }) => ({ text: messages.map(({ role, content }) => `${role}: ${content}`).join("\n") });
  const second = await cli("And now?", "--resume", chat_id.slice(0, 4));
  expect(second.stdout).toContain('user: How much paper is there?\nassistant: null\ntool: {"output":{"paper":2}}');
  expect(second.stdout).toContain("assistant: There is");
  expect(second.stdout).toContain("user: And now?");
  const [file] = await readdir(join(home.path, "home/chats"));
  expect(file).toBe(`${chat_id}.json`);
});

test("without a model it says what to do; --list shows conversations", async () => {
  const { PLANLOOM_MODEL: _, OPENAI_BASE_URL: __, ...bare } = environment();
  const run = await runCliHere(["chat", "hello", "--no-config"], bare, home.path);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain("A chat needs a model.");
  expect((await cli("--list")).stdout).toContain("How much paper is there?");
  expect((await cli("--resume", "nothing", "hi")).code).toBe(2);
});

test("the model plans and runs with the plan tools; a person is asked about the plan's calls, and Enter leaves them open", async () => {
  const plan = {
    planned_tasks: [{ task_id: "buy", execution_type: "tool", tool_id: "order", arguments: { sheets: 5 } }],
  };
  answer = ({ last, tools }) => {
    // The planner asks the same model, without tools.
    if (!tools.includes("plan_execute")) return { text: JSON.stringify(plan) };
    if (last.role === "tool") return { text: `Result: ${last.content}` };
    return call("plan_create_and_execute", { goal: "Order five sheets of paper" });
  };
  const person = terminal();
  await person.sees(/> /);
  person.type("Buy paper");
  const asked = await person.sees(/Make it\?/);
  expect(asked).toContain("sheets");
  expect(asked).not.toContain('{"goal"');
  person.type("y");
  await person.sees(/order of 5 is placed/);
  person.type("/exit");
  expect(await person.done).toBe(0);
});

test("a call of the model itself is asked about, denied, and the model hears of it", async () => {
  answer = ({ last }) => {
    if (last.role === "tool") return { text: `I hear: ${last.content}` };
    return call("order", { sheets: 7 });
  };
  const person = terminal();
  await person.sees(/> /);
  person.type("Order seven");
  await person.sees(/Make it\?/);
  person.type("n");
  expect(await person.sees(/I hear: .*\n/)).toMatch(/said no/);
  person.leave();
  expect(await person.done).toBe(0);
});

test("what is left open waits, also for the next start", async () => {
  answer = ({ last }) => (last.role === "tool" ? { text: `Done: ${last.content}` } : call("order", { sheets: 9 }));
  const person = terminal();
  await person.sees(/> /);
  person.type("Order nine");
  await person.sees(/Make it\?/);
  person.type("");
  await person.sees(/waits for calls to be approved/);
  person.leave();
  await person.done;
  const later = terminal("--resume");
  await later.sees(/The last answer waits for you[\s\S]*> /);
  later.type("/continue");
  await later.sees(/Make it\?/);
  later.type("y");
  await later.sees(/Done: .*order of 9 is placed/);
  later.leave();
  await later.done;
});

test("Ctrl-C stops the answer and not the program; what was said stays in the conversation", async () => {
  answer = ({ last }) =>
    last.content.includes("story")
      ? { text: "Once upon a time there was a very long story.", pieceDelayMs: 300 }
      : { text: "Still here." };
  const person = terminal();
  await person.sees(/> /);
  person.type("Tell a story");
  await person.sees(/Once/);
  person.press("\x03");
  await person.sees(/Stopped\./);
  person.type("Are you there?");
  await person.sees(/Still here\.[\s\S]*> /);
  const last = server.requests.at(-1)!.body?.messages as { role: string; content: string }[];
  expect(last.some(({ role, content }) => role === "assistant" && content.includes("[stopped by the user]"))).toBe(
    true,
  );
  person.press("\x03");
  await person.sees(/Ctrl-C again/);
  person.press("\x03");
  expect(await person.done).toBe(0);
});

test("one budget holds for the conversation and its plans, over restarts", async () => {
  answer = ({ last }) => (last.role === "tool" ? { text: "Looked." } : call("stock", {}));
  // Two calls of the model and one of the tool.
  const first = await cli("Look", "--budget", "calls=4", "--json");
  expect(first.code).toBe(0);
  const { chat_id } = JSON.parse(first.stdout) as { chat_id: string };
  const kept = JSON.parse(await readFile(join(home.path, "home/chats", `${chat_id}.json`), "utf8")) as { used: object };
  expect(kept.used).toEqual({ calls: 4 });
  const second = await cli("Look again", "--resume", chat_id);
  expect(second.code).toBe(1);
  expect(second.stdout).toContain("4 of 4 calls");
  expect((await cli("x", "--budget", "lives=9")).stderr).toContain("--budget: expected name=amount");
});

test("/plan commands work as in any chat, and a mistyped command gets a suggestion", async () => {
  answer = ({ tools }) =>
    tools.length > 0
      ? { text: "Hello." }
      : { text: JSON.stringify({ planned_tasks: [{ task_id: "look", execution_type: "tool", tool_id: "stock" }] }) };
  const person = terminal();
  await person.sees(/> /);
  person.type("/plan create Look at the stock");
  const made = await person.sees(/Plan \S+\n/);
  const [, id] = /Plan (\S+)/.exec(made) ?? [];
  await person.sees(/> /);
  person.type(`/plan run ${id}`);
  await person.sees(/1 of 1 steps completed/);
  person.type("/bugdet");
  await person.sees(/Did you mean \/budget\?/);
  person.leave();
  await person.done;
});

test("piped lines are messages, and nobody is asked", async () => {
  answer = ({ last }) => (last.role === "tool" ? { text: "Ordered." } : call("order", { sheets: 1 }));
  const input = new PassThrough();
  let shown = "";
  const done = runCli(["chat", "--config", "planloom.config.mjs"], {
    stdout: { write: (text) => (shown += text) },
    stderr: { write: () => true },
    env: environment(),
    cwd: home.path,
    signal: new AbortController().signal,
    input,
  });
  input.end("Order one\n");
  expect(await done).toBe(3);
  expect(shown).toContain("waits for calls to be approved");
});

test("a message that is piped in is answered, although the input ends before the answer comes", async () => {
  const input = new PassThrough();
  answer = () => {
    input.end();
    return { text: "Two sheets." };
  };
  let shown = "";
  const done = runCli(["chat", "--config", "planloom.config.mjs"], {
    stdout: { write: (text) => (shown += text) },
    stderr: { write: () => true },
    env: environment(),
    cwd: home.path,
    signal: new AbortController().signal,
    input,
  });
  input.write("What is there?\n");
  expect([await done, shown]).toEqual([0, expect.stringContaining("Two sheets.")]);
});

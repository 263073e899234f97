import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { quickStartEnv } from "../support/child-env.ts";
import { repository, runCliHere, temporaryHome } from "../support/run-cli.ts";

let home: Awaited<ReturnType<typeof temporaryHome>>;

beforeAll(async () => {
  home = await temporaryHome();
  const library = JSON.stringify(pathToFileURL(join(repository, "packages/planloom/src/index.ts")).href);
  const input =
    '{ type: "object", properties: { to: { type: "string" }, text: { type: "string" } }, required: ["to", "text"] }';
  const tool = `{ id: "send_mail", description: "Send a mail to a person", input: ${input}, execute: ({ to }) => ({ sent: to }) }`;
  const config = `import { defineTool } from ${library};\nexport default { tools: [defineTool(${tool})] };\n`;
  await writeFile(join(home.path, "planloom.config.mjs"), config);
});
afterAll(() => home.remove());

test.for([{ protocol: "2026-07-28" }, { protocol: "2025-11-25" }])(
  "planloom mcp over standard input and output, protocol $protocol: a goal, a form, a run that the command line sees",
  { timeout: 60_000 },
  async ({ protocol }) => {
    const forms: string[] = [];
    const client = new Client(
      { name: "test", version: "1" },
      {
        capabilities: { elicitation: {} },
        ...(protocol === "2026-07-28" && { versionNegotiation: { mode: "auto" as const } }),
      },
    );
    client.setRequestHandler("elicitation/create", (request) => {
      forms.push((request.params as { message: string }).message);
      return { action: "accept", content: { approve: true } };
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [join(repository, "packages/cli/src/main.ts"), "mcp", "--config", "planloom.config.mjs"],
      cwd: home.path,
      env: { PATH: process.env.PATH ?? "", ...home.env, ...quickStartEnv() },
      stderr: "ignore",
    });
    await client.connect(transport);
    try {
      const { structuredContent } = await client.callTool({
        name: "plan_create_and_execute",
        arguments: { goal: "Send a mail to ann@example.com with the text 'Hello'" },
      });
      expect(structuredContent).toMatchObject({ success: true, end_reason: "completed" });
      expect(forms).toEqual([expect.stringContaining("ann@example.com")]);
      const { run_id } = structuredContent as { run_id: string };
      const { stdout } = await runCliHere(["show", run_id, "--json"], home.env, home.path);
      expect(JSON.parse(stdout)).toMatchObject({ status: "completed" });
    } finally {
      await client.close();
    }
  },
);

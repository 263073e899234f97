// The host: an agent calls the plan tools, and a person of the host is asked before anything is sent. No model and no key: what the agent would say is
// written here, and what the person answers too.
import { deepStrictEqual } from "node:assert";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const say = (line: string) => process.stdout.write(`${line}\n`);
const client = new Client(
  { name: "example-host", version: "1.0.0" },
  { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: {} } },
);
client.setRequestHandler("elicitation/create", (request) => {
  const { message } = request.params as { message: string };
  say(`\nThe person is asked:\n${message}`);
  say("The person says: yes.\n");
  return { action: "accept", content: { approve: true, note: "agreed by phone" } };
});
// It is a program of this example. A server of somebody else gets the variables that it needs, and no others.
const env = { ...process.env } as Record<string, string>;
const server = { command: process.execPath, args: [new URL("server.ts", import.meta.url).pathname], env };
await client.connect(new StdioClientTransport(server));

interface Answer {
  readonly plan_id: string;
  readonly steps?: readonly { readonly index: string; readonly tool: string }[];
  readonly results?: Readonly<Record<string, unknown>>;
  readonly success: boolean;
}

async function call(name: string, args: Record<string, unknown>): Promise<Answer> {
  const onprogress = ({ message = "" }: { message?: string | undefined }) => say(`  ${message}`);
  const { structuredContent } = await client.callTool({ name, arguments: args }, { onprogress });
  return structuredContent as unknown as Answer;
}

try {
  const plan = await call("plan_create", {
    goal: "Get the balance of Acme, then send a mail to ann@example.com with the text 'Please pay'",
  });
  say(`The plan: ${plan.steps!.map(({ tool }) => tool).join(", then ")}`);
  const run = await call("plan_execute", { plan_id: plan.plan_id });
  say(`The results: ${JSON.stringify(run.results)}`);
  deepStrictEqual(run.success, true);
  deepStrictEqual(run.results, {
    get_balance: { customer: "Acme", open: 120 },
    send_mail: { sent_to: "ann@example.com", text: "Please pay" },
  });
} finally {
  await client.close();
}

// The MCP server: plans over two tools of yours. A host starts it as a child process, as it starts any MCP server.
import { serveMcpStdio } from "@planloom/mcp-server";
import { defineTool, Planloom } from "planloom";
import { z } from "zod";

const debts: Readonly<Record<string, number>> = { Acme: 120, Globex: 40 };

const balance = defineTool({
  id: "get_balance",
  description: "Get the open balance of a customer",
  input: z.object({ customer: z.string() }),
  output: z.object({ customer: z.string(), open: z.number() }),
  readOnly: true,
  execute: ({ customer }) => ({ customer, open: debts[customer] ?? 0 }),
});
const mail = defineTool({
  id: "send_mail",
  description: "Send a mail to a person",
  input: z.object({ to: z.string(), text: z.string() }),
  execute: ({ to, text }) => ({ sent_to: to, text }),
});

await using planloom = new Planloom({ tools: [balance, mail] });
await serveMcpStdio(planloom).closed;

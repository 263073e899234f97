import { existsSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { fromJsonSchema, type JsonSchemaType, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Calendar, type Filters, freightTools, openFreight, queries } from "@planloom/example-freight";

/**
 * A freight server with the tools it is told to have, over stdio: `node server.ts FAULT TOOL…`. `none` works. `upgrade`: after
 * its first answer `shipments_list` calls its `facility_id` `facility_ids`, and says that its tools have changed. `dies`: the
 * first call ends the process, and it does not come up again.
 */
const [fault = "none", ...names] = process.argv.slice(2);
const database = openFreight(process.env.FREIGHT_DB ?? "");
const grave = `${process.env.FREIGHT_DB}.dead`;
if (fault === "dies" && existsSync(grave)) process.exit(1);

type Schema = { readonly properties: Readonly<Record<string, unknown>> };

function freightServer(): McpServer {
  const server = new McpServer(
    { name: "freight", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  const upgrades: (() => void)[] = [];
  for (const tool of freightTools.filter(({ id }) => names.includes(id))) {
    const call = async (filters: Filters) => {
      if (fault === "dies") {
        writeFileSync(grave, "");
        process.exit(1);
      }
      const { facility_ids, ...rest } = filters;
      const rows = queries[tool.id]!(
        database,
        facility_ids === undefined ? filters : { ...rest, facility_id: facility_ids },
        new Calendar(),
      );
      for (const upgrade of upgrades.splice(0)) upgrade();
      // The answer comes when the client has read the new list.
      if (fault === "upgrade") await wait(300);
      return {
        content: [{ type: "text" as const, text: `${rows.length} rows` }],
        structuredContent: rows as unknown as Record<string, unknown>,
      };
    };
    const registered = server.registerTool(
      tool.id,
      {
        description: tool.description,
        inputSchema: fromJsonSchema<Filters>(tool.input_schema as JsonSchemaType),
        outputSchema: fromJsonSchema(tool.output_schema as JsonSchemaType),
        annotations: { readOnlyHint: true, idempotentHint: true },
      },
      call,
    );
    if (fault !== "upgrade" || tool.id !== "shipments_list") continue;
    const { facility_id, ...properties } = (tool.input_schema as Schema).properties;
    const renamed = { ...(tool.input_schema as Schema), properties: { ...properties, facility_ids: facility_id } };
    upgrades.push(() => registered.update({ paramsSchema: fromJsonSchema<Filters>(renamed as JsonSchemaType) }));
  }
  return server;
}

serveStdio(freightServer);

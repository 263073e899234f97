import { setTimeout as delay } from "node:timers/promises";
import { fromJsonSchema, type JsonSchemaType, McpServer } from "@modelcontextprotocol/server";
import { freightTools } from "./catalogue.ts";
import { Calendar } from "./data/calendar.ts";
import { databaseFile, openFreight } from "./data/database.ts";
import { type Filters, queries } from "./data/queries.ts";
import { latency } from "./latency.ts";

/**
 * The freight company's MCP server. Reads only. Environment: FREIGHT_DB, PLANLOOM_HOME (where the database is), FREIGHT_TODAY (which day it
 * is), FREIGHT_LATENCY_MS (how slow the backend is).
 * @returns what makes one for each connection; all have the same database
 */
export function freightServer(environment: Readonly<Record<string, string | undefined>>): () => McpServer {
  const database = openFreight(databaseFile(environment));
  const today = environment.FREIGHT_TODAY || undefined;
  const wait = latency(environment.FREIGHT_LATENCY_MS);
  // A wrong setting ends the server at its start, not each call.
  new Calendar(today);
  return () => {
    const server = new McpServer({ name: "freight", version: "1.0.0" }, { capabilities: { tools: {} } });
    for (const tool of freightTools) {
      const query = queries[tool.id];
      if (!query) throw new Error(`No query for the tool ${tool.id}.`);
      server.registerTool(
        tool.id,
        {
          description: tool.description,
          inputSchema: fromJsonSchema<Filters>(tool.input_schema as JsonSchemaType),
          outputSchema: fromJsonSchema(tool.output_schema as JsonSchemaType),
          annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
        },
        async (filters, context) => {
          await delay(wait(tool.id, filters), undefined, { signal: context.mcpReq.signal });
          const rows = query(database, filters, new Calendar(today));
          return {
            content: [{ type: "text", text: `${rows.length} rows` }],
            structuredContent: rows as unknown as Record<string, unknown>,
          };
        },
      );
    }
    return server;
  };
}

import { readFileSync } from "node:fs";
import { defineAgent, defineConfig, defineLlm, defineWorkflow } from "planloom";
import { carrierAuditor } from "./src/agents.ts";
import { facilityAssessment } from "./src/workflows.ts";

/** The freight server's tools, and beside them an agent, a workflow and an llm: all four kinds of task for `job.yaml`. */
const { mcpServers } = JSON.parse(readFileSync(new URL("mcp.json", import.meta.url), "utf8"));

export default defineConfig({
  mcpServers: { freight: { ...mcpServers.freight, cwd: import.meta.dirname } },
  agents: [defineAgent(carrierAuditor)],
  workflows: [defineWorkflow(facilityAssessment)],
  // Gets the model of the command line (--model, or OPENAI_API_KEY and PLANLOOM_MODEL); without one its tasks are skipped.
  llms: [defineLlm({ id: "write_report", name: "write_report", description: "Writes a short report of data." })],
});

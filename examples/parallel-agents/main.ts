// A plan whose subgraphs go to three agents in parallel. Each agent is a process of its own; no key and no model is needed.
import { strictEqual } from "node:assert";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { a2aDispatcher, connectAgents } from "@planloom/a2a";
import { defineTool, Planloom } from "planloom";
import { z } from "zod";

const say = (line: string) => process.stdout.write(`${line}\n`);
const regions = ["north", "south", "west"];

const children = regions.map((region) =>
  spawn(process.execPath, [new URL("agent.ts", import.meta.url).pathname, region], {
    stdio: ["pipe", "pipe", "inherit"],
  }),
);
try {
  const urls = await Promise.all(children.map(async ({ stdout }) => String((await once(stdout, "data"))[0]).trim()));
  await using agents = await connectAgents(
    Object.fromEntries(regions.map((region, at) => [region, { url: urls[at]! }])),
  );
  for (const { id, name, skills = [] } of agents.resources) say(`${id}: ${name}, ${skills.length - 1} tools`);

  // The tools of the agents are those of this Planloom, and subgraphs go to the agent that has them.
  const dispatcher = a2aDispatcher(agents);
  const warmest = defineTool({
    id: "warmest",
    description: "Which of several regions is the warmest",
    input: z.object({ means: z.record(z.string(), z.number()) }),
    readOnly: true,
    execute: ({ means }) => Object.entries(means).sort(([, left], [, right]) => right - left)[0]![0],
  });
  await using planloom = new Planloom({
    tools: [warmest],
    executors: dispatcher.executors,
    dispatch: { to: dispatcher },
  });
  const plan = {
    planned_tasks: [
      ...regions.flatMap((region) => [
        { task_id: `list_${region}`, tool_id: `${region}_stations`, estimate_data: { duration_ms: 100 } },
        {
          task_id: `read_${region}`,
          tool_id: `${region}_readings`,
          arguments: { stations: `\${list_${region}.ids}` },
          estimate_data: { duration_ms: 100 },
        },
        {
          task_id: region,
          tool_id: `${region}_mean`,
          arguments: { celsius: `\${read_${region}.celsius}` },
          estimate_data: { duration_ms: 100 },
        },
      ]),
      {
        task_id: "warmest",
        tool_id: "warmest",
        arguments: { means: Object.fromEntries(regions.map((region) => [region, `\${${region}.mean}`])) },
        estimate_data: { duration_ms: 1 },
      },
    ],
  };
  const result = await planloom.run(plan);
  const { dispatches, predicted_ms, per_task_ms } = result.grouping!;
  say(`${plan.planned_tasks.length} tasks in ${dispatches} dispatches.`);
  say(
    `Predicted ${Math.round(predicted_ms)} ms, achieved ${Math.round(result.certificate.achievedMs)} ms; one dispatch a task would be ${Math.round(per_task_ms)} ms.`,
  );
  say(`The warmest region: ${String(result.output_data.warmest)}`);
  strictEqual(result.output_data.warmest, "north");
} finally {
  for (const child of children) child.stdin.end();
}

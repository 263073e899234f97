// One agent: a process of its own with the tools of one region, served over A2A. The parent stops it by closing its standard input.
import { serveAgent } from "@planloom/a2a";
import { defineTool, Planloom } from "planloom";
import { z } from "zod";

const region = process.argv[2] ?? "north";
/** As long as a real system takes to answer. */
const answer = () => new Promise((resolve) => setTimeout(resolve, 100));

const stations = defineTool({
  id: `${region}_stations`,
  description: `List the weather stations of the ${region}`,
  input: z.object({}),
  output: z.object({ ids: z.array(z.string()) }),
  readOnly: true,
  async execute() {
    await answer();
    return { ids: [1, 2, 3].map((number) => `${region}-${number}`) };
  },
});
const readings = defineTool({
  id: `${region}_readings`,
  description: `Read the temperatures of stations of the ${region}`,
  input: z.object({ stations: z.array(z.string()) }),
  output: z.object({ celsius: z.array(z.number()) }),
  readOnly: true,
  async execute({ stations: ids }) {
    await answer();
    return { celsius: ids.map((id, at) => region.length + id.length + at) };
  },
});
const mean = defineTool({
  id: `${region}_mean`,
  description: `Mean of temperatures, for the ${region}`,
  input: z.object({ celsius: z.array(z.number()) }),
  output: z.object({ mean: z.number() }),
  readOnly: true,
  async execute({ celsius }) {
    await answer();
    return { mean: celsius.reduce((sum, each) => sum + each, 0) / celsius.length };
  },
});

await using planloom = new Planloom({ tools: [stations, readings, mean] });
await using server = await serveAgent(planloom, { name: `Weather of the ${region}` });
process.stdout.write(`${server.url}\n`);
process.stdin.resume();
await new Promise((resolve) => process.stdin.once("end", resolve));

import { setTimeout as wait } from "node:timers/promises";
import { defineConfig, defineTool } from "planloom";
import { z } from "zod";

/** The tool of the plans of our benches: it takes a time and gives a text of a length. */
export default defineConfig({
  concurrency: 8,
  tools: [
    defineTool({
      id: "work",
      description: "Takes a time and gives a text.",
      input: z.object({ ms: z.number(), characters: z.number() }),
      readOnly: true,
      async execute({ ms, characters }, { signal }) {
        await wait(ms, undefined, { signal });
        return "n".repeat(characters);
      },
    }),
  ],
});

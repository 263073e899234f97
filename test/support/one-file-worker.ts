// Program and module of a worker in one file, as in a bundle.
import { defineTool, toolExecutor } from "@planloom/runtime";

const who = defineTool({
  id: "who",
  description: "",
  execute: () => ({ program: process.argv[1], module: process.argv[2] }),
});

export const executors = [toolExecutor([who])];

void import("@planloom/runtime/worker");

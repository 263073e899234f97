import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

/** Loaded with `--import`: the planner takes the learned weights of its arguments from the file that WEIGHTS names. */
const file = process.env.WEIGHTS;
if (file === undefined || file === "")
  throw new Error("WEIGHTS names no file: one that `plans-train.ts --write` wrote");
const source = readFileSync(file, "utf8");

registerHooks({
  load(url, context, next) {
    return url.endsWith("/embedded/src/functions/learned/weights.ts")
      ? { format: "module-typescript", source, shortCircuit: true }
      : next(url, context);
  },
});

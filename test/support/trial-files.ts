import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a file imports of `cases.ts` where `pnpm test` tries less than the whole trial. */
const isTrial = /^import \{[^}]*\b(trials|isQuick)\b[^}]*\} from "[./]+\/support\/cases\.ts";$/m;

/** The test files with trials, relative to the repository: those that `pnpm test:trials` runs. */
export function trialFiles(repository: string): string[] {
  const files = globSync("test/**/*.test.ts", { cwd: repository, exclude: (name) => name === "node_modules" });
  return files.filter((file) => isTrial.test(readFileSync(join(repository, file), "utf8")));
}

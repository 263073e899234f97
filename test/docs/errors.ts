import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Writes docs/errors.md from the tables of error codes: `node test/docs/errors.ts`. A test checks that the page is current.

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The tables in the order of the page, each with what its errors are about. */
const tables = [
  ["planloom", "packages/planloom/src/errors.ts", "`PlanloomError`: a Planloom and its saved plans"],
  ["runtime", "packages/runtime/src/errors.ts", "`RuntimeError`: runs, answers and the journal"],
  ["runtime", "packages/runtime/src/task-error.ts", "Tasks: `error.code` of a task that failed or was skipped"],
  ["planner", "packages/planner/src/errors.ts", "`PlannerError`: goals, plans and steps"],
  ["controller", "packages/controller/src/errors.ts", "`ControllerError`: models and Behavior Controllers"],
  ["server", "packages/server/src/errors.ts", "`ServerError`: HTTP"],
  ["plan", "packages/plan/src/errors.ts", "`PlanError`: records, references and files"],
  ["optimizer", "packages/optimizer/src/errors.ts", "`OptimizerError`: grouping"],
  ["embedded", "packages/embedded/src/errors.ts", "`EmbeddedError`: the planner without a model"],
  ["mcp", "packages/mcp/src/errors.ts", "`McpError`: MCP servers"],
  ["a2a", "packages/a2a/src/errors.ts", "`A2aError`: A2A agents"],
  ["local", "packages/local/src/errors.ts", "`LocalError`: models in this process"],
  ["cli", "packages/cli/src/errors.ts", "`CliError`: the command line"],
] as const;

export interface DocumentedCode {
  readonly code: string;
  readonly cause: string;
  /** Empty where the table says none. */
  readonly cure: string;
}

/** The codes of a table with what its comments say. */
export function codesIn(source: string): DocumentedCode[] {
  const [, body = ""] = /export const \w*ErrorCode = \{\n(.*?)\n\} as const/s.exec(source) ?? [];
  const entries = body.matchAll(/(?:\/\*\*((?:(?!\*\/).)*)\*\/\s*)?\b\w+: "(\w+)"/gs);
  return Array.from(entries, ([, comment = "", code]) => {
    const text = comment.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();
    const [cause = "", cure = ""] = text.split(/\s*\bCure: /);
    return { code: code!, cause, cure };
  });
}

/** Every table with its codes. */
export const documentedCodes = () =>
  tables.map(([name, file, about]) => ({ name, about, codes: codesIn(readFileSync(join(root, file), "utf8")) }));

/** The page as it must be. */
export function errorsPage(statusOf: (code: string) => number | undefined): string {
  const sections = documentedCodes().map(({ about, codes }) => {
    const rows = codes.map(
      ({ code, cause, cure }) => `| \`${code}\` | ${statusOf(code) ?? ""} | ${cell(cause)} | ${cell(cure)} |`,
    );
    return `## ${about}\n\n| code | HTTP | what happened | what to do |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Errors

Every error extends \`CodedError\` and has a \`code\` that does not change with its text, and \`details\`. The codes are the same in the library, on the command line (\`--json\`), over HTTP
(\`error.code\`) and in runs. HTTP is the status of an answer; a code without one is never a caller's, and is answered with 500 and \`SERVER_INTERNAL\`.
\`node test/docs/errors.ts\` writes this page from the tables in the code.

${sections.join("\n")}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { statusOf } = await import("../../packages/server/src/http/error-status.ts");
  writeFileSync(join(root, "docs/errors.md"), errorsPage(statusOf));
}

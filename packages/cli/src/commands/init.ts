import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { makeOwnFolder } from "../own-folder.ts";
import { styleFor } from "../terminal/style.ts";
import { changeTrust } from "../trust.ts";
import { nextSteps } from "./next-steps.ts";

const configFile = `import { defineConfig, defineTool } from "planloom";

const text = { type: "string" };

// Tools, agents, llms and workflows of your own; MCP servers are in mcp.json (--mcp mcp.json).
export default defineConfig({
  tools: [
    defineTool({
      id: "greetings_list",
      description: "List greetings in a language",
      input: { type: "object", properties: { language: text }, required: ["language"] },
      output: { type: "object", properties: { greetings: { type: "array", items: text } } },
      readOnly: true,
      execute: ({ language }) => ({ greetings: language === "German" ? ["Guten Tag", "Moin"] : ["Hello"] }),
    }),
  ],
});
`;

const mcpFile = `${JSON.stringify(
  {
    mcpServers: {
      "a-program-here": { command: "node", args: ["server.js"], env: { TOKEN: `\${TOKEN:-}` }, disabled: true },
      "a-server-elsewhere": { url: "https://example.com/mcp", disabled: true },
    },
  },
  null,
  2,
)}\n`;

/** `planloom init`: a configuration and a map of MCP servers to begin with. What is there already is never overwritten. */
export async function init(folder: string | undefined, options: { json?: boolean }, io: CliIo): Promise<number> {
  const target = resolve(io.cwd, folder ?? ".");
  await makeOwnFolder(target, "Give a folder that can be written.");
  const files = [];
  for (const [name, text] of [
    ["planloom.config.ts", configFile],
    ["mcp.json", mcpFile],
  ] as const) {
    files.push({ file: join(target, name), written: await writeNew(join(target, name), text, io.signal) });
  }
  const trusted = files[0]?.written === true && (await trustOwn(target, io));
  if (options.json === true) {
    writeJson(io, { files, trusted });
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  for (const { file, written } of files) {
    const mark = written ? style.paint("green", style.glyph("✓", "+")) : style.paint("yellow", style.glyph("○", "o"));
    io.stdout.write(`${mark} ${file}${written ? "" : style.paint("dim", "  was there and is kept")}\n`);
  }
  if (!trusted)
    io.stdout.write(style.paint("dim", "  The configuration was not made here: look at it before you trust it.\n"));
  if (!isInstalled(target))
    io.stdout.write("The configuration imports planloom, which is not installed here. First: npm install planloom\n");
  io.stdout.write(
    nextSteps([...(trusted ? [] : [["trust"]]), ["doctor"], ["run", "List greetings in German"]], style, io),
  );
  return ExitCode.DONE;
}

/** Whether the configuration finds what it imports: a `planloom` that was installed globally, or is run by npx, cannot be imported from a folder. */
function isInstalled(folder: string): boolean {
  if (existsSync(join(folder, "node_modules", "planloom", "package.json"))) return true;
  return dirname(folder) !== folder && isInstalled(dirname(folder));
}

/** The configuration is the one just written. Where that cannot be kept, the commands say how to allow it. */
async function trustOwn(folder: string, io: CliIo): Promise<boolean> {
  try {
    await changeTrust(folder, true, io);
    return true;
  } catch {
    return false;
  }
}

/** False where a file of that name is there. */
async function writeNew(file: string, text: string, signal: AbortSignal): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: "wx", signal });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

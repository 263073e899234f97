import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = join(import.meta.dirname, "peers");
const venv = join(folder, ".venv");
const eino = join(folder, ".built", "eino");

/** Languages that peers are written in. Those of JavaScript are always there. */
export type PeerLanguage = "javascript" | "python" | "go";

export interface InstalledPeers {
  /** The command that runs a peer, but for the DAG file and what follows it; undefined where its language or package is missing. */
  command(language: PeerLanguage, peer: string): readonly string[] | undefined;
  /** What was left out and why, a sentence each. */
  readonly skipped: readonly string[];
  /** `name version` of each package that was installed. */
  readonly versions: readonly string[];
}

/**
 * Installs the peers into the bench's folder, beside their lock files: npm packages, those of `requirements.txt` into an environment of their own, and
 * eino's program where Go is. What cannot be had is left out, and `skipped` says so. @throws where the npm packages cannot be installed
 */
export function installPeers(): InstalledPeers {
  const npm = runIn(folder, "pnpm", ["install", "--ignore-scripts", "--prefer-offline"]);
  if (npm !== undefined) throw new Error(`Expected \`pnpm install\` in ${folder} to succeed: ${npm}`);
  const python = installPython();
  const go = buildGo();
  const skipped = [
    ...(python === undefined ? [] : [`chuk-ai-planner and mcp-cli were left out: ${python}`]),
    ...(go === undefined ? [] : [`eino was left out: ${go}`]),
  ];
  const commands = {
    javascript: (peer: string) => [process.execPath, join(folder, "run-peer.mjs"), peer],
    python: (peer: string) =>
      python === undefined ? [join(venv, "bin/python"), join(folder, "run_peer.py"), peer] : undefined,
    go: () => (go === undefined ? [eino] : undefined),
  };
  const npmNames = ["p-graph", "@langchain/langgraph", "@langchain/core", "@mastra/core", "ai"];
  return {
    command: (language, peer) => commands[language](peer),
    skipped,
    versions: [
      ...npmNames.map(npmVersion),
      ...(python === undefined ? readFileSync(join(folder, "requirements.txt"), "utf8").trim().split("\n") : []).map(
        (line) => line.replace("==", " "),
      ),
      ...(go === undefined ? [einoVersion()] : []),
    ],
  };
}

/** The environment of processes of peers: what they keep in the home of a user goes to a folder for this bench. */
export const peerEnvironment = (): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: mkdtempSync(join(tmpdir(), "planloom-peers-home-")),
});

/** @returns why the packages cannot be had; undefined when they are there */
function installPython(): string | undefined {
  if (!existsSync(join(venv, "bin/python"))) {
    const made = runIn(folder, "python3", ["-m", "venv", venv]);
    if (made !== undefined) return made;
  }
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"];
  return runIn(folder, join(venv, "bin/python"), pip);
}

function buildGo(): string | undefined {
  mkdirSync(join(folder, ".built"), { recursive: true });
  return runIn(join(folder, "eino"), "go", ["build", "-o", eino, "."]);
}

/** @returns why it failed; undefined when it succeeded */
function runIn(cwd: string, command: string, args: readonly string[]): string | undefined {
  const { status, error, stderr } = spawnSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (error !== undefined) return `\`${command}\` is not on this machine (${error.message}).`;
  return status === 0 ? undefined : `\`${command}\` ended with ${status}: ${stderr.trim().split("\n").at(-1) ?? ""}`;
}

function npmVersion(name: string): string {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? `${name} ${JSON.parse(readFileSync(file, "utf8")).version}` : `${name} absent`;
}

function einoVersion(): string {
  const [, version = "?"] = /cloudwego\/eino (\S+)/.exec(readFileSync(join(folder, "eino/go.mod"), "utf8")) ?? [];
  return `eino ${version}`;
}

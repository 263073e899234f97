import { nearestNames } from "@planloom/plan";

/** Keys of ours that other hosts do not have: misspelt, a server would be started, or its claims be believed, against what was meant. */
const ownKeys = ["disabled", "optional", "trustHints"];
const stdioKeys = ["type", "command", "args", "env", "cwd"];
const httpKeys = ["type", "url", "headers"];
/** From here on a key is taken for a misspelt one of ours: `trust_hints` and `disable`, but not `disabledTools` of other hosts. */
const leastLikenessOfOwn = 0.85;
/** From here on, where the key that is meant is missing: `arg`, `header` and `comand`, but not `envFile` of other hosts. */
const leastLikeness = 0.75;
/** What other hosts and people call the keys that everyone has. */
const otherNames: Readonly<Record<string, string>> = {
  arguments: "args",
  cmd: "command",
  environment: "env",
  variables: "env",
  workingDirectory: "cwd",
  working_directory: "cwd",
  workdir: "cwd",
  serverUrl: "url",
  httpUrl: "url",
  uri: "url",
  endpoint: "url",
};
/** They describe the server to people, so that it loses nothing without them. */
const describing: ReadonlySet<string> = new Set(["name", "description", "title", "icon", "tags", "version"]);

/** An unknown key that is probably another one, misspelt: without it the server would not be what was meant. */
export function misspeltKey(raw: Readonly<Record<string, unknown>>): { key: string; meant: string } | undefined {
  const missing = [...new Set([...stdioKeys, ...httpKeys])].filter((key) => !Object.hasOwn(raw, key));
  for (const key of unknownKeys(raw)) {
    const own = nearestNames(key, ownKeys);
    if (own.score >= leastLikenessOfOwn) return { key, meant: own.names[0]! };
    const called = Object.hasOwn(otherNames, key) ? otherNames[key]! : undefined;
    if (called !== undefined && missing.includes(called)) return { key, meant: called };
    const { names, score } = nearestNames(key, missing);
    if (score >= leastLikeness) return { key, meant: names[0]! };
  }
  return undefined;
}

/** Keys that nothing reads, those of the other kind of server among them; without those that only describe the server to people. */
export function ignoredKeys(raw: Readonly<Record<string, unknown>>): string[] {
  const others = Object.hasOwn(raw, "command") ? httpKeys : stdioKeys;
  const ofOtherKind = others.filter((key) => key !== "type" && Object.hasOwn(raw, key));
  return [...unknownKeys(raw).filter((key) => !describing.has(key)), ...ofOtherKind];
}

const unknownKeys = (raw: Readonly<Record<string, unknown>>) =>
  Object.keys(raw).filter((key) => ![...ownKeys, ...stdioKeys, ...httpKeys].includes(key));

import { shellWord } from "./terminal/shell-word.ts";

/** A server of models on this machine, at the port that it has unless it is set to another. */
export interface UsualServer {
  readonly name: string;
  readonly port: number;
  /** What marks an entry of its list of models, where others use the port too. */
  readonly owner?: string;
}

export const usualServers: readonly UsualServer[] = [
  { name: "Ollama", port: 11_434 },
  { name: "LM Studio", port: 1_234 },
  { name: "llama-server", port: 8_080, owner: "llamacpp" },
];

export interface FoundServer {
  readonly name: string;
  readonly baseURL: string;
  readonly models: readonly string[];
}

/** Longer names are none that anybody types. */
const longestName = 200;
const patienceMs = 1_000;
const maxCharacters = 1_000_000;

/** Those that answer, with the models that they have. Only loopback is asked. */
export async function findLocalServers(servers: readonly UsualServer[], signal: AbortSignal): Promise<FoundServer[]> {
  const found = await Promise.all(servers.map((server) => look(server, signal)));
  return found.filter((server) => server !== undefined);
}

/** What a server has, with the line to type. Names of models are whatever its makers wrote. */
export function sayServer({ name, baseURL, models }: FoundServer): string {
  const [model] = models;
  if (model === undefined) return `${name} has no model yet`;
  const has = models.length > 1 ? `${model} and ${models.length - 1} more` : model;
  return `${name} has ${has}: OPENAI_BASE_URL=${baseURL} planloom run "…" --model ${shellWord(model)}`;
}

async function look({ name, port, owner }: UsualServer, signal: AbortSignal): Promise<FoundServer | undefined> {
  const baseURL = `http://127.0.0.1:${port}/v1`;
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
    const response = await fetch(`${baseURL}/models`, { signal: both, redirect: "error" });
    if (!response.ok) return undefined;
    const text = await response.text();
    if (text.length > maxCharacters) return undefined;
    const { data } = JSON.parse(text) as { data?: unknown };
    if (!Array.isArray(data)) return undefined;
    const models = (data as { id?: unknown; owned_by?: unknown }[]).flatMap(({ id, owned_by }) =>
      typeof id === "string" && id.length <= longestName && (owner === undefined || owned_by === owner) ? [id] : [],
    );
    return owner !== undefined && models.length === 0 ? undefined : { name, baseURL, models };
  } catch {
    // No server listens there, or a different program does.
    return undefined;
  }
}

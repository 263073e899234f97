import type { TaskInput } from "@planloom/controller";
import { isRecord, type Resource } from "@planloom/plan";

export type Phase = 1 | 2;

export interface ReadRequest {
  readonly phase: Phase;
  readonly search_id: string;
  readonly data: TaskInput;
  readonly resources: readonly Resource[] | undefined;
  /** What a Planloom client sends beside the wire form: the job, the task, feedback. */
  readonly rest: Readonly<Record<string, unknown>>;
}

/** Why a request is not answered. */
export interface Refused {
  readonly status: 400 | 403 | 404 | 405 | 413;
  readonly message: string;
}

const phases: ReadonlyMap<string, Phase> = new Map([
  ["/process-phase-1-task", 1],
  ["/process-phase-2-task", 2],
]);

/** Reads a request of the Agents Planning System. Never rejects. */
export async function readRequest(request: Request, maxBytes: number): Promise<ReadRequest | Refused> {
  const { pathname } = new URL(request.url);
  const phase = phases.get(pathname);
  if (phase === undefined)
    return { status: 404, message: `Expected one of the paths ${[...phases.keys()].join(", ")}, got ${pathname}.` };
  if (request.method !== "POST") return { status: 405, message: `Expected a POST request, got ${request.method}.` };
  // A browser says from which page a request comes; programs do not. A page must not plan at the expense of its visitors.
  if (request.headers.has("origin"))
    return { status: 403, message: "Requests that a web page makes are not answered." };
  const text = await readText(request, maxBytes);
  if (typeof text !== "string") return text;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { status: 400, message: "Expected the body to be JSON, but it cannot be read as JSON." };
  }
  return readBody(body, phase);
}

function readBody(body: unknown, phase: Phase): ReadRequest | Refused {
  const field = `phase_${phase}_data`;
  const refused = (message: string): Refused => ({ status: 400, message });
  if (!isRecord(body)) return refused("Expected the body to be an object.");
  const { search_id, resources, [field]: data, ...rest } = body;
  if (typeof search_id !== "string" || search_id === "") return refused("Expected `search_id` to be a text, got none.");
  if (!isRecord(data)) return refused(`Expected \`${field}\` to be an object.`);
  const { task_input_data, n_history_samples = 0, llm_data = {} } = data;
  if (typeof task_input_data !== "string" || task_input_data.trim() === "")
    return refused(`Expected \`${field}.task_input_data\` to be a text that says something.`);
  if (!Number.isInteger(n_history_samples) || (n_history_samples as number) < 0)
    return refused(`Expected \`${field}.n_history_samples\` to be an integer of at least 0.`);
  if (!isRecord(llm_data)) return refused(`Expected \`${field}.llm_data\` to be an object.`);
  const isList = Array.isArray(resources) && resources.every((each) => isRecord(each) && typeof each.id === "string");
  if (resources !== undefined && !isList) return refused("Expected `resources` to be a list of resources.");
  return {
    phase,
    search_id,
    data: { task_input_data, n_history_samples: n_history_samples as number, llm_data },
    resources: resources as readonly Resource[] | undefined,
    rest,
  };
}

async function readText(request: Request, maxBytes: number): Promise<string | Refused> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.byteLength;
      if (length > maxBytes) return { status: 413, message: `Expected a body of at most ${maxBytes} bytes.` };
      chunks.push(chunk);
    }
  } catch {
    return { status: 400, message: "The body could not be read to its end." };
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

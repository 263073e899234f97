import type { Resource } from "planloom";
import type { PlanDiff } from "planloom/plan";
import type { PageData } from "../src/page-data.ts";
import { readEvents } from "./read-events.ts";
import { planQuery, runQuery } from "./runs/list-query.ts";
import type { ComparedRun, PageSource, PlanRow, RawPlan, RunAction, RunRow } from "./source.ts";

/** Kept until the browser's tab is closed. */
const tokenKey = "planloom-token";
const runsBesideOneAnother = 12;
const firstDelayMs = 500;
const longestDelayMs = 15_000;

/** The server wants a token, or another one. */
export class TokenWanted extends Error {}

type PlanIssues = NonNullable<PageData["draft"]>["issues"];

interface Problem {
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** The server that this page comes from. Its paths are beside the page's own. */
export function httpSource(base = new URL(".", location.href)): PageSource {
  const server = new Server(base);
  const get: Server["get"] = (path, signal) => server.get(path, signal);
  const post: Server["post"] = (path, body) => server.post(path, body);
  return {
    load: (target, signal) => {
      const { kind, id } = target ?? { kind: "runs", id: "" };
      return get<PageData>(`${kind}/${encodeURIComponent(id)}/page`, signal);
    },
    server: {
      async listRuns(filter) {
        const page = await get<{ runs: RunRow[]; next_cursor?: string | null }>(`runs?${runQuery(filter, Date.now())}`);
        return { runs: page.runs, ...(typeof page.next_cursor === "string" && { next: page.next_cursor }) };
      },
      async listPlans(filter) {
        const page = await get<{ plans: PlanRow[]; next_cursor?: string | null }>(
          `plans?${planQuery(filter, Date.now())}`,
        );
        return { plans: page.plans, ...(typeof page.next_cursor === "string" && { next: page.next_cursor }) };
      },
      async runsOf(planId, signal) {
        const query = new URLSearchParams({ plan_id: planId, limit: String(runsBesideOneAnother) });
        const { runs } = await get<{ runs: RunRow[] }>(`runs?${query}`, signal);
        return Promise.all(runs.map(({ run_id }) => get<ComparedRun>(pathOf(run_id), signal)));
      },
      diff: async (from, to) =>
        (await get<{ diff: PlanDiff }>(`diff?${new URLSearchParams({ from: `runs/${from}`, to: `runs/${to}` })}`)).diff,
      follow: (runId, after, listener, signal) => void follow(server, runId, after, listener, signal),
      act: (runId, action) => act(server, runId, action),
      output: async (runId, taskId) => {
        const { record } = await get<{ record?: { output?: unknown } }>(
          `${pathOf(runId)}/tasks/${encodeURIComponent(taskId)}`,
        );
        return record?.output;
      },
      plan: async (goal) => (await post<{ plan_id: string }>("plans", { goal })).plan_id,
      run: async (planId) => (await post<{ run_id: string }>("runs", { plan_id: planId })).run_id,
      rawPlan: async (planId) => (await get<{ plan: RawPlan }>(`plans/${encodeURIComponent(planId)}`)).plan,
      validate: async (plan) => (await post<{ issues: PlanIssues }>("validate", { plan })).issues,
      async replace(planId, plan, revision) {
        const headers = { "content-type": "application/json" };
        const body = JSON.stringify({ plan, base: revision });
        await server.request(`plans/${encodeURIComponent(planId)}`, { method: "PUT", headers, body });
      },
      async answer(planId, what) {
        await post(`plans/${encodeURIComponent(planId)}/answers`, what);
      },
      tools: async () =>
        (await get<{ resources: Pick<Resource, "id" | "kind">[] }>("resources")).resources
          .filter(({ kind }) => kind === "tool")
          .map(({ id }) => id),
      useToken: (token) => sessionStorage.setItem(tokenKey, token),
    },
  };
}

/** Requests to the server, with the token that the tab has. */
class Server {
  readonly #base: URL;

  constructor(base: URL) {
    this.#base = base;
  }

  /** @throws TokenWanted; Error with what the server says */
  async request(path: string, options: RequestInit = {}): Promise<Response> {
    const token = sessionStorage.getItem(tokenKey);
    const headers = new Headers(options.headers);
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(new URL(path, this.#base), { ...options, headers });
    // Who has given no token yet did nothing wrong, and sends no headers by hand.
    if (response.status === 401) throw new TokenWanted(token === null ? "" : await messageOf(response));
    if (!response.ok) throw new Error(await messageOf(response));
    return response;
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    return (await (await this.request(path, signal === undefined ? {} : { signal })).json()) as T;
  }

  async post<T>(path: string, body: object): Promise<T> {
    const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    return (await (await this.request(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as T;
  }
}

const pathOf = (runId: string) => `runs/${encodeURIComponent(runId)}`;

type Follow = NonNullable<PageSource["server"]>["follow"];

/** Passes on the events of a run after the one with the number `after`, until the run or the server says that none comes any more. */
async function follow(
  server: Server,
  runId: string,
  after: number,
  listener: Parameters<Follow>[2],
  signal: AbortSignal,
): Promise<void> {
  let last = after;
  let delayMs = firstDelayMs;
  while (!signal.aborted) {
    try {
      const headers = { accept: "text/event-stream", ...(last >= 0 && { "last-event-id": String(last) }) };
      const response = await server.request(`${pathOf(runId)}/events`, { headers, signal });
      if (response.status === 204 || response.body === null) return listener("end");
      for await (const { event, data } of readEvents(response.body)) {
        if (event === "end") return listener("end");
        const value = JSON.parse(data) as Parameters<typeof listener>[0] & { seq?: number; type?: string };
        if (value.type === ("stream-gap" as string)) listener("gap");
        else listener(value);
        last = Math.max(last, value.seq ?? last);
        delayMs = firstDelayMs;
      }
    } catch (error) {
      if (signal.aborted || error instanceof TokenWanted) return;
    }
    // The connection broke; what came meanwhile is asked for by the number of the last event.
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    delayMs = Math.min(longestDelayMs, delayMs * 2);
  }
}

/** Does what a person asks for. @returns the run that shows it */
async function act(server: Server, runId: string, action: RunAction): Promise<string> {
  const path = pathOf(runId);
  switch (action.kind) {
    case "approve":
    case "deny": {
      const { kind: answer, id, contentHash: content_hash, note, input, output } = action;
      await server.post(`${path}/approvals`, { id, answer, content_hash, note, input, output });
      return runId;
    }
    case "signal": {
      const { kind: _, ...signal } = action;
      await server.post(`${path}/signals`, signal);
      return runId;
    }
    case "cancel":
      await server.post(`${path}/cancel`, {});
      return runId;
    case "resume":
      await server.post(`${path}/resume`, {});
      return runId;
    case "fork":
      return (await server.post<{ run_id: string }>(`${path}/forks`, { from_task: action.fromTask })).run_id;
  }
}

async function messageOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as Problem;
  return problem.error?.message ?? `The server answered ${response.status}.`;
}

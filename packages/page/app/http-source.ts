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
  async function request(path: string, options: RequestInit = {}): Promise<Response> {
    const token = sessionStorage.getItem(tokenKey);
    const headers = new Headers(options.headers);
    if (token !== null) headers.set("authorization", `Bearer ${token}`);
    const response = await fetch(new URL(path, base), { ...options, headers });
    if (response.status === 401) throw new TokenWanted(await messageOf(response));
    if (!response.ok) throw new Error(await messageOf(response));
    return response;
  }

  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await (await request(path, signal === undefined ? {} : { signal })).json()) as T;

  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { "content-type": "application/json", "idempotency-key": crypto.randomUUID() };
    return (await (await request(path, { method: "POST", headers, body: JSON.stringify(body) })).json()) as T;
  };

  const pathOf = (runId: string) => `runs/${encodeURIComponent(runId)}`;

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
      follow(runId, after, listener, signal) {
        let last = after;
        let delayMs = firstDelayMs;
        const connect = async (): Promise<void> => {
          while (!signal.aborted) {
            try {
              const headers = {
                accept: "text/event-stream",
                ...(last >= 0 && { "last-event-id": String(last) }),
              };
              const response = await request(`${pathOf(runId)}/events`, { headers, signal });
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
        };
        void connect();
      },
      async act(runId, action: RunAction) {
        switch (action.kind) {
          case "approve":
          case "deny": {
            const { kind: answer, id, contentHash: content_hash, note, input, output } = action;
            await post(`${pathOf(runId)}/approvals`, { id, answer, content_hash, note, input, output });
            return runId;
          }
          case "signal": {
            const { kind: _, ...signal } = action;
            await post(`${pathOf(runId)}/signals`, signal);
            return runId;
          }
          case "cancel":
            await post(`${pathOf(runId)}/cancel`, {});
            return runId;
          case "resume":
            await post(`${pathOf(runId)}/resume`, {});
            return runId;
          case "fork":
            return (await post<{ run_id: string }>(`${pathOf(runId)}/forks`, { from_task: action.fromTask })).run_id;
        }
      },
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
        await request(`plans/${encodeURIComponent(planId)}`, { method: "PUT", headers, body });
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

async function messageOf(response: Response): Promise<string> {
  const problem = (await response.json().catch(() => ({}))) as Problem;
  return problem.error?.message ?? `The server answered ${response.status}.`;
}

/** Method and path of every endpoint by its name, which is the `operationId` of the OpenAPI document and the client's method. */
export const routes = {
  page: "GET /",
  live: "GET /healthz",
  ready: "GET /readyz",
  metrics: "GET /metrics",
  openapi: "GET /openapi.json",
  processPhase1: "POST /process-phase-1-task",
  processPhase2: "POST /process-phase-2-task",
  listResources: "GET /resources",
  validatePlan: "POST /validate",
  createPlan: "POST /plans",
  listPlans: "GET /plans",
  getPlan: "GET /plans/{plan_id}",
  replacePlan: "PUT /plans/{plan_id}",
  deletePlan: "DELETE /plans/{plan_id}",
  getPlanPage: "GET /plans/{plan_id}/page",
  answerPlan: "POST /plans/{plan_id}/answers",
  replanPlan: "POST /plans/{plan_id}/replan",
  diffPlans: "GET /diff",
  createRun: "POST /runs",
  listRuns: "GET /runs",
  getRun: "GET /runs/{run_id}",
  deleteRun: "DELETE /runs/{run_id}",
  getRunPlan: "GET /runs/{run_id}/plan",
  getRunPage: "GET /runs/{run_id}/page",
  getRunTask: "GET /runs/{run_id}/tasks/{task_id}",
  runEvents: "GET /runs/{run_id}/events",
  cancelRun: "POST /runs/{run_id}/cancel",
  resumeRun: "POST /runs/{run_id}/resume",
  forkRun: "POST /runs/{run_id}/forks",
  replanRun: "POST /runs/{run_id}/replan",
  signalRun: "POST /runs/{run_id}/signals",
  listApprovals: "GET /approvals",
  answerCall: "POST /runs/{run_id}/approvals",
} as const satisfies Readonly<Record<string, `${"GET" | "POST" | "PUT" | "DELETE"} /${string}`>>;

export type EndpointName = keyof typeof routes;

export interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** With `{name}` where a part is an id. */
  readonly path: string;
}

export function routeOf(name: EndpointName): Route {
  const [method, path] = routes[name].split(" ") as [Route["method"], string];
  return { method, path };
}

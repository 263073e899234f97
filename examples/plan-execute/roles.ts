// Functions stand in for a model in all three places, so the example needs no key. With a model leave them out.
import type { LoopChoice, LoopExecutor, LoopPlanner, LoopReplanner } from "planloom/runtime";

/** What to measure is known; what to do then is not, so nothing else is planned yet. */
export const planner: LoopPlanner = () => ({
  steps: ["latency of checkout", "latency of search", "latency of payment"],
  depends_on: [[], [], []],
});

/** "TOOL of SERVICE" */
export const executor: LoopExecutor = ({ step }, { callTool }) => {
  const [tool = "", , service = ""] = step.split(" ");
  return callTool?.(tool, { service });
};

/** Looks into what is slow; restarts what its log accuses; then answers. */
export const replanner: LoopReplanner = ({ ExecutedSteps }): LoopChoice => {
  const found = new Map(ExecutedSteps.map(({ step, result }) => [step, result]));
  const slow = [...found].filter(([step, ms]) => step.startsWith("latency") && Number(ms) > 1_000);
  const services = slow.map(([step]) => step.slice("latency of ".length));
  const unread = services.filter((service) => !found.has(`logs of ${service}`));
  if (unread.length > 0)
    return { plan: { steps: unread.map((name) => `logs of ${name}`), depends_on: unread.map(() => []) } };
  const culprit = services.find((service) => found.get(`logs of ${service}`)?.includes("exhausted"));
  if (culprit === undefined) return { respond: "Nothing stands out." };
  const restarted = found.get(`restart of ${culprit}`);
  if (restarted === undefined) return { plan: [`restart of ${culprit}`] };
  return {
    respond: `${services.join(" and ")} were slow because of ${culprit}: ${found.get(`logs of ${culprit}`)}. Now ${restarted}.`,
  };
};

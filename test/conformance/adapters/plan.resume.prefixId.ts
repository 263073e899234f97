import { mcpCli } from "@planloom/compat";
import { defineTool, memoryPlans, Planloom } from "planloom";
import { handlePlanCommand } from "planloom/plan-tools";

/** A plan that was run and failed is gone on with under the beginning of its id. */
const adapter: ConformanceAdapter<{ idPrefix: string }> = async ({ idPrefix }, { signal, inWords }) => {
  const steps = [{ index: "1", title: "A", tool: "a", args: {}, depends_on: [] }];
  const plans = memoryPlans();
  const { id } = await plans.save(mcpCli.read({ id: "0123456789abcdef", title: "", steps }));
  let calls = 0;
  const execute = () => (++calls === 1 ? Promise.reject(new Error("not yet")) : "ok");
  await using planloom = new Planloom({ tools: [defineTool({ id: "a", description: "A tool", execute })] });
  await handlePlanCommand(`run ${id}`, { planloom, plans, signal });
  const prefix = id.slice(0, inWords.numberInWords(idPrefix));
  const { run } = await handlePlanCommand(`resume ${prefix}`, { planloom, plans, signal });
  return { resumes: run?.end_reason === "completed" && calls === 2 };
};
export default adapter;

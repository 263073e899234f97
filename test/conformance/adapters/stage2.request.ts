import { HttpController } from "@planloom/controller";
import { ToolsPlanner } from "@planloom/planner";

interface Input {
  readonly prompt: string;
  readonly llm_data: Record<string, unknown>;
}

const adapter: ConformanceAdapter<Input> = async ({ prompt, llm_data }, { catalogue, signal }) => {
  let sent: object = {};
  const controller = new HttpController({
    url: "http://localhost:8888",
    fetch: async (url, request) => {
      sent = { method: request?.method, path: new URL(String(url)).pathname, body: JSON.parse(String(request?.body)) };
      return Response.json({ success: true, data: { uid: catalogue[0]?.id, input_data: {} } });
    },
  });
  const planner = new ToolsPlanner({ controller, llmData: llm_data });
  planner.prepareTools(catalogue);
  await planner.createPlan({ task_description: prompt }, { signal });
  return sent;
};
export default adapter;

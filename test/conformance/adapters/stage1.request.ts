import { HttpController } from "@planloom/controller";
import { Planner } from "@planloom/planner";

interface Input {
  readonly prompt: string;
  readonly llm_data: Record<string, unknown>;
}

const adapter: ConformanceAdapter<Input> = async ({ prompt, llm_data }, { signal }) => {
  let sent: object = {};
  const controller = new HttpController({
    url: "http://localhost:8888",
    fetch: async (url, request) => {
      sent = { method: request?.method, path: new URL(String(url)).pathname, body: JSON.parse(String(request?.body)) };
      return Response.json({ success: true, data: [{ task_id: "a", execution_type: "agent" }] });
    },
  });
  await new Planner({ controller, llmData: llm_data }).createPlan({ task_description: prompt }, { signal });
  return sent;
};
export default adapter;

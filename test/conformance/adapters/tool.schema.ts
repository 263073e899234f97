import { planExecuteTools } from "@planloom/runtime";

interface Parameters {
  readonly required: string[];
  readonly properties: Record<string, { type: string; items?: { type: string }; description: string }>;
}

const adapter: ConformanceAdapter<{ tool: "plan" | "respond" }> = ({ tool }) => {
  const { required, properties } = planExecuteTools[tool].parameters as unknown as Parameters;
  const described = Object.entries(properties).map(([name, { type, items, description }]) => {
    const order = description.includes("in order") ? ", in order" : "";
    return [name, items === undefined ? type : `${type} of ${items.type}s${order}`];
  });
  return { required, ...Object.fromEntries(described) };
};
export default adapter;

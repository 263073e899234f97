import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ template: string; stepIds: Record<string, string> }> = ({ template, stepIds }) => ({
  value: kirha.parseTemplate(template, (index) => stepIds[index]),
});
export default adapter;

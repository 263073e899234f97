import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ template: string; stepIds: Record<string, string> }> = ({ template, stepIds }) => ({
  value: dialects.kirha.parseTemplate(template, (index) => stepIds[index]),
});
export default adapter;

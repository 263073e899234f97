import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ arguments: unknown }> = (input) =>
  dialects.kirha.traverseReferences(input.arguments);
export default adapter;

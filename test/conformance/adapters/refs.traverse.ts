import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ arguments: unknown }> = (input) => kirha.traverseReferences(input.arguments);
export default adapter;

import { kirha } from "@planloom/compat";

interface Input {
  readonly steps: unknown;
  readonly tools: Parameters<typeof kirha.validate>[1];
}

const adapter: ConformanceAdapter<Input> = ({ steps, tools }) => kirha.validate(steps, tools);
export default adapter;

import { dialects } from "@planloom/plan";

interface Input {
  readonly steps: unknown;
  readonly tools: Parameters<typeof dialects.kirha.validate>[1];
}

const adapter: ConformanceAdapter<Input> = ({ steps, tools }) => dialects.kirha.validate(steps, tools);
export default adapter;

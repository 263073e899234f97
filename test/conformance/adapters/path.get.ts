import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown; segments: (string | number)[] }> = ({ value, segments }) => ({
  value: dialects.kirha.readPath(value, segments),
});
export default adapter;

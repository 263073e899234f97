import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ segments: (string | number)[] }> = ({ segments }) => ({
  path: dialects.kirha.formatPath(segments),
});
export default adapter;

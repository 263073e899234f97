import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ segments: (string | number)[] }> = ({ segments }) => ({
  path: kirha.formatPath(segments),
});
export default adapter;

import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ path: string }> = ({ path }) => {
  const segments = kirha.parsePath(path);
  return { segments, normalized: kirha.formatPath(segments) };
};
export default adapter;

import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ path: string }> = ({ path }) => {
  const segments = dialects.kirha.parsePath(path);
  return { segments, normalized: dialects.kirha.formatPath(segments) };
};
export default adapter;

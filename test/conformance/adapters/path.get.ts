import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown; segments: (string | number)[] }> = ({ value, segments }) => ({
  value: kirha.readPath(value, segments),
});
export default adapter;

import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => kirha.referenceKind(value);
export default adapter;

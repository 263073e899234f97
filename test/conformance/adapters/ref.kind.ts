import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => dialects.kirha.referenceKind(value);
export default adapter;

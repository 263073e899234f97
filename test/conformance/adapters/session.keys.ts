import { loopSessionKeys } from "@planloom/runtime";

const adapter: ConformanceAdapter = () => loopSessionKeys;
export default adapter;

import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => kirha.parseReply(text);
export default adapter;

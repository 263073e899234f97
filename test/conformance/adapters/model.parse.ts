import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => dialects.kirha.parseReply(text);
export default adapter;

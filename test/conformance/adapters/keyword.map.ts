import { mapKeyword } from "@planloom/embedded";

const adapter: ConformanceAdapter<{ keyword: string }> = ({ keyword }, { catalogue }) => mapKeyword(keyword, catalogue);
export default adapter;

import { readOutput } from "@planloom/controller";

const adapter: ConformanceAdapter<{ content: string }> = ({ content }) => {
  const output = readOutput(content);
  if (!output.found) throw new Error(output.issues[0]?.message);
  return { value: output.value };
};
export default adapter;

import { openaiModel } from "planloom";
import { readOutput } from "planloom/controller";

interface Response {
  readonly choices?: unknown;
  readonly tool_calls?: unknown;
}

/** The case's response as the one message of a chat completion; one that cannot be read holds no call. */
const adapter: ConformanceAdapter<{ readonly response: Response | null }> = async ({ response }, { signal }) => {
  const choices = response?.choices ?? [{ message: response }];
  const fetch = async () => globalThis.Response.json({ choices });
  const model = openaiModel({
    apiKey: "key",
    baseURL: "http://localhost/v1",
    model: "m",
    maxRetries: 0,
    stream: false,
    fetch,
  });
  const tools = [{ name: "a", description: "A tool", parameters: { type: "object" } }];
  const reply = await model
    .generate({ messages: [{ role: "user", content: "go" }], tools }, { signal })
    .catch(() => null);
  const [first] = reply?.toolCalls ?? [];
  if (first === undefined) return { call: null };
  const read = readOutput(first.arguments);
  return { call: { name: first.name, args: read.found ? read.value : first.arguments } };
};
export default adapter;

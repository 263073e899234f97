import { mcpCli } from "@planloom/compat";
import { defineTool, ledByModel, run, toolExecutor } from "@planloom/runtime";
import type { Model } from "planloom";
import { scriptedModel } from "planloom/testing";

interface Input {
  readonly step: { readonly index: string; readonly tool: string; readonly result_variable?: string };
  readonly model: readonly { call?: string; args?: unknown; text?: string; error?: string }[];
  readonly tools: Record<string, StubTool>;
  readonly maxStepRetries?: number;
}

const adapter: ConformanceAdapter<Input> = async ({ step, model, tools, maxStepRetries }, { signal, stubTools }) => {
  const stubs = stubTools(tools, { silent: "name", also: [step.tool] });
  const scripted = scriptedModel(
    model.map(({ call, args = {}, text = "", error }) => {
      if (error !== undefined) return new Error(error);
      const toolCalls = call === undefined ? [] : [{ id: "", name: call, arguments: JSON.stringify(args) }];
      return { text, toolCalls };
    }),
  );
  const plain = toolExecutor(stubs.tools.map((tool) => defineTool(tool)));
  const led = ledByModel(plain, { model: scripted satisfies Model, maxStepRetries });
  const plan = mcpCli.read({ id: "p", title: "", steps: [step] });
  const { results } = await run(plan, { executors: [led], signal });
  const [result] = results;
  const success = result?.status === "completed";
  const value = mcpCli.extractResult(result?.output);
  return {
    success,
    tool: stubs.calls.at(-1)?.tool,
    result: success ? value : null,
    error: result?.error?.message ?? null,
    variables: success && step.result_variable !== undefined ? { [step.result_variable]: value } : {},
    calls: stubs.calls.map(({ tool, input }) => [tool, input]),
    turns: scripted.requests.length,
  };
};
export default adapter;

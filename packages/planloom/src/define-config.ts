import type { OpenaiModelOptions } from "@planloom/controller";
import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { planloomChecks } from "./instance-checks.ts";
import type { PlanloomOptions } from "./planloom-options.ts";

/** One server of an `mcpServers` map, as other MCP hosts write it. */
export type McpServerEntry = (
  | {
      readonly command: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }
) & {
  /** Not started. @default false */
  readonly disabled?: boolean;
  /** May fail to connect without failing the others. @default false */
  readonly optional?: boolean;
};

/** The default export of `planloom.config.ts`. */
export interface PlanloomConfig extends PlanloomOptions {
  /** Connected by the command line. In code: `connectMcpServers` of `@planloom/mcp`, its `executor` among `executors`. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** Of the model that the command line makes, where `model` is not a model object of your own; the flags of the command line override them. In code: `model: openaiModel({ … })`. */
  readonly modelOptions?: OpenaiModelOptions;
}

/** Checks the configuration and returns it. It is for types and completion in `planloom.config.ts`. @throws PlanloomError OPTION */
export function defineConfig(config: PlanloomConfig): PlanloomConfig {
  checkOptions("a configuration", config, {
    ...planloomChecks,
    mcpServers: "object",
    modelOptions: "object",
  } as const satisfies OptionChecks<PlanloomConfig>);
  return config;
}

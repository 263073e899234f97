import type { OpenaiModelOptions } from "@planloom/controller";
import type { OptionChecks } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
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

/** One A2A agent, by its card. */
export interface A2aAgentEntry {
  /** Its origin, or the URL of its card where that ends in `.json`. */
  readonly url: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** By the name of the security scheme on the card: a key or token, `{ username, password }`, or `{ clientId, clientSecret }`. */
  readonly credentials?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  /** Public keys (JWK) of which one must have signed the card. */
  readonly keys?: readonly Readonly<Record<string, unknown>>[];
  /** Origins beside that of `url` which the card may name. */
  readonly origins?: readonly string[];
  /** Whether it changes nothing outside. @default false */
  readonly readOnly?: boolean;
  /** Not connected. @default false */
  readonly disabled?: boolean;
  /** May fail to connect without failing the others. @default false */
  readonly optional?: boolean;
}

/** The default export of `planloom.config.ts`. It has no `journal`: where runs are is said by `--on` and `PLANLOOM_HOME`, to commands without a configuration too. */
export interface PlanloomConfig extends Omit<PlanloomOptions, "journal"> {
  /** Connected by the command line. In code: `connectMcpServers` of `@planloom/mcp`, its `executor` among `executors`. */
  readonly mcpServers?: Readonly<Record<string, McpServerEntry>>;
  /** A2A agents by the names that plans use, connected by the command line. In code: `connectAgents` of `@planloom/a2a`, its `executor` among `executors`. */
  readonly a2aAgents?: Readonly<Record<string, A2aAgentEntry>>;
  /** Of the model that the command line makes, where `model` is not a model object of your own; the flags of the command line override them. In code: `model: openaiModel({ … })`. */
  readonly modelOptions?: OpenaiModelOptions;
}

const { journal: _, ...configChecks } = planloomChecks;

/** Checks the configuration and returns it. It is for types and completion in `planloom.config.ts`. @throws PlanloomError OPTION */
export function defineConfig(config: PlanloomConfig): PlanloomConfig {
  if (typeof config === "object" && config !== null && "journal" in config) {
    const cure =
      "the command line keeps runs in PLANLOOM_HOME or in the database of --on; give a journal of your own to a `new Planloom({ …, journal })`";
    throw new PlanloomError(PlanloomErrorCode.OPTION, `Unknown option \`journal\` of a configuration: ${cure}.`, {
      details: { option: "journal" },
    });
  }
  checkOptions("a configuration", config, {
    ...configChecks,
    mcpServers: "object",
    a2aAgents: "object",
    modelOptions: "object",
  } as const satisfies OptionChecks<PlanloomConfig>);
  return config;
}

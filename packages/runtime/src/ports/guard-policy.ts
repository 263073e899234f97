import type { Resource } from "@planloom/plan";
import { checkFunction, checkKeys, checkRecord } from "../check-keys.ts";
import { invalid } from "../invalid-option.ts";

/** A call that is about to be made. */
export interface GuardedCall {
  readonly resource: Resource;
  readonly input: Readonly<Record<string, unknown>>;
  /** Of the task. */
  readonly taskId: string;
}

/** Caps on calls (mcp-cli). What is left out does not guard. */
export interface GuardPolicy {
  /** Calls of resources that only look around. */
  readonly discovery?: number;
  /** Calls of all others. */
  readonly execution?: number;
  readonly total?: number;
  /** Calls of any one resource; 0 is none. */
  readonly perToolCap?: number;
  /** Calls by id of the resource. */
  readonly tools?: Readonly<Record<string, number>>;
  /** Why the call must not be made, or undefined. What it throws blocks the call. */
  readonly precondition?: (call: GuardedCall) => string | undefined;
  /** Blocks inputs with numbers that appear in nothing the run was given: see `ungroundedNumbers`. @default false */
  readonly groundedNumbers?: boolean;
  /** @default discovery when tagged so, or named list…, search…, find…, describe…, get_schema…, help… */
  readonly classify?: (resource: Resource) => "discovery" | "execution";
}

/** The presets of mcp-cli. */
export const guardPolicies = {
  default: { discovery: 5, execution: 12, total: 15, perToolCap: 0 },
  smooth: { discovery: 6, execution: 15, total: 20, perToolCap: 0 },
  strict: { discovery: 4, execution: 10, total: 12, perToolCap: 0 },
} as const satisfies Record<string, GuardPolicy>;
export type GuardPolicyName = keyof typeof guardPolicies;

const caps = ["discovery", "execution", "total", "perToolCap"] as const;

/** @throws RuntimeError INVALID_OPTION */
export function readGuardPolicy(given: GuardPolicy | GuardPolicyName | undefined): GuardPolicy | undefined {
  if (given === undefined) return undefined;
  if (typeof given === "string") {
    if (!Object.hasOwn(guardPolicies, given)) throw invalid("guards", "default, smooth, strict or a policy", given);
    return guardPolicies[given];
  }
  checkKeys("guards", given, [...caps, "tools", "precondition", "groundedNumbers", "classify"]);
  checkRecord("guards.tools", given.tools);
  checkFunction("guards.precondition", given.precondition);
  checkFunction("guards.classify", given.classify);
  if (given.groundedNumbers !== undefined && typeof given.groundedNumbers !== "boolean")
    throw invalid("guards.groundedNumbers", "true or false", given.groundedNumbers);
  const tools = Object.entries(given.tools ?? {}).map(([id, cap]) => [`tools.${id}`, cap] as const);
  const named = [...caps.map((cap) => [cap, given[cap]] as const), ...tools];
  for (const [name, cap] of named) {
    if (cap !== undefined && !(Number.isInteger(cap) && cap >= 0)) {
      throw invalid(`guards.${name}`, "an integer of at least 0", cap);
    }
  }
  return given;
}

const discoveryName = /^(list|search|find|discover|describe|get_schema|help)(?![a-z])/i;

export function classifyByName(resource: Resource): "discovery" | "execution" {
  if (resource.tags?.includes("discovery")) return "discovery";
  const name = resource.name ?? resource.id.slice(resource.id.lastIndexOf("/") + 1);
  return discoveryName.test(name) ? "discovery" : "execution";
}

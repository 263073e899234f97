import { AgentCard, generateAgentCardSignature } from "@a2a-js/sdk";
import type { Planloom, Resource } from "planloom";
import { callNow } from "planloom/plan";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { subgraphExtension } from "../subgraph-extension.ts";
import type { PlanAgentOptions } from "./agent-options.ts";

/** How a resource is named among the skills of a card, and found again by a dispatcher. */
export const skillId = ({ kind, id }: Pick<Resource, "kind" | "id">): string => `${kind}:${id}`;

const goalSkill = {
  id: "plan",
  name: "Reach a goal",
  description: "Takes a goal in words, plans the calls it needs, and makes them; or takes a plan.",
  tags: ["planning"],
};

/**
 * The card of a Planloom: what it can do now.
 * @param url where it takes messages
 * @throws A2aError OPTION for a key that cannot sign; PlanError CALLBACK where `publish` throws or gives neither true nor false
 */
export async function cardOf(planloom: Planloom, options: PlanAgentOptions, url: string): Promise<AgentCard> {
  const { name = "Planloom", version = "1", publish = () => true, sign, token, push } = options;
  const description = options.description ?? "Plans and runs calls of tools and agents for a goal.";
  const published = planloom.resources.filter((resource) =>
    callNow(
      "publish",
      () => publish(resource),
      "true or false",
      (value) => typeof value === "boolean",
    ),
  );
  const skills = published.map((resource) => ({
    id: skillId(resource),
    name: resource.name ?? resource.id,
    description: resource.description,
    tags: [resource.kind, ...(resource.tags ?? [])],
  }));
  const modes = ["text/plain", "application/json"];
  const card = AgentCard.fromJSON({
    name,
    description,
    version,
    supportedInterfaces: [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    ],
    capabilities: {
      streaming: true,
      pushNotifications: push !== undefined,
      extensions: [
        {
          uri: subgraphExtension,
          description: "Takes subgraphs of plans, and reports each task.",
          required: false,
          params: { resources: published },
        },
      ],
    },
    defaultInputModes: modes,
    defaultOutputModes: modes,
    skills: [goalSkill, ...skills],
    ...(token !== undefined && {
      securitySchemes: { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { token: { list: [] } } }],
    }),
  });
  if (sign === undefined) return card;
  const alg = sign.alg ?? "ES256";
  try {
    return await generateAgentCardSignature(sign.key, { alg, kid: sign.kid, typ: "JOSE" })(card);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `Expected \`sign.key\` to be a private key (JWK) that signs with ${alg}: ${why}`;
    throw new A2aError(A2aErrorCode.OPTION, message, { details: { option: "sign.key" }, cause });
  }
}

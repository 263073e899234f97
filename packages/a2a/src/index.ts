export type { ConnectOptions, Credential, RemoteAgentOptions } from "./client/agent-options.ts";
export { type A2aConnection, type AgentStatus, connectAgents } from "./client/connect-agents.ts";
export type { PushOptions } from "./client/push-receiver.ts";
export { type A2aDispatcher, type A2aDispatcherOptions, a2aDispatcher } from "./dispatch/a2a-dispatcher.ts";
export { A2aError, A2aErrorCode } from "./errors.ts";
export type { CardKey, PlanAgentOptions } from "./server/agent-options.ts";
export { type A2aHandler, agentHandler } from "./server/request-handler.ts";
export { type AgentServer, type ServeAgentOptions, serveAgent } from "./server/serve-agent.ts";

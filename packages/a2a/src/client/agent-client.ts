import type { AgentCard, AgentInterface } from "@a2a-js/sdk";
import {
  type CallInterceptor,
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type TransportFactory,
} from "@a2a-js/sdk/client";
import { A2aError, A2aErrorCode } from "../errors.ts";
import { originError } from "./agent-fetch.ts";
import type { Authorize } from "./authorization.ts";

export interface ClientOptions {
  readonly agent: string;
  /** Of the card. */
  readonly url: URL;
  /** Where requests may go. */
  readonly origins: ReadonlySet<string>;
  /** For JSON-RPC and HTTP+JSON; it authenticates by itself. */
  readonly fetch: typeof fetch;
  /** For gRPC, whose metadata are as headers. */
  readonly authorize: Authorize;
}

/** The client of the SDK, and the function that closes its connection, where it holds one. */
export interface AgentClient {
  readonly client: Client;
  close(): void;
}

const isGrpc = ({ protocolBinding }: AgentInterface): boolean => protocolBinding.toUpperCase() === "GRPC";

/**
 * A client of the first interface of the card that is known here and on a trusted origin: JSON-RPC, HTTP+JSON or gRPC, of A2A 1.0 and 0.3. An interface elsewhere is
 * left out.
 * @throws A2aError ORIGIN where every interface is elsewhere; NOT_INSTALLED where only gRPC is left, and its packages are missing
 */
export async function agentClient(card: AgentCard, options: ClientOptions): Promise<AgentClient> {
  const { agent, url, origins } = options;
  const all = card.supportedInterfaces.map((each) => placed(each, url));
  const known = all.filter(({ origin }) => origins.has(origin));
  if (known.length === 0) throw originError(agent, all[0]?.origin ?? url.origin);
  const shared = { fetchImpl: options.fetch, legacyCompat: { enabled: true } };
  const transports: TransportFactory[] = [new JsonRpcTransportFactory(shared), new RestTransportFactory(shared)];
  const grpcAt = known.find(({ given }) => isGrpc(given));
  const grpc = grpcAt === undefined ? undefined : await loadGrpc();
  const channels: { close(): void }[] = [];
  let target: URL | undefined;
  if (grpcAt !== undefined && grpc !== undefined && "GrpcTransportFactory" in grpc) {
    const grpcChannelCredentials = grpcAt.origin.startsWith("https:")
      ? grpc.credentials.createSsl()
      : grpc.credentials.createInsecure();
    const factory = new grpc.GrpcTransportFactory({ grpcChannelCredentials, legacyCompat: { enabled: true } });
    transports.push({
      protocolName: factory.protocolName,
      async create(endpoint, agentCard) {
        const transport = await factory.create(endpoint, agentCard);
        target = new URL(grpcAt.origin);
        // The SDK hides the channel and has no method that closes it.
        const { grpcClient } = transport as unknown as { readonly grpcClient?: { close(): void } };
        if (grpcClient !== undefined) channels.push(grpcClient);
        return transport;
      },
    });
  }
  const isOnlyGrpc = known.every(({ given }) => isGrpc(given));
  if (isOnlyGrpc && grpc !== undefined && "missing" in grpc) throw notInstalled(agent, grpc.missing);
  const supportedInterfaces = known.map(({ given, address }) => ({ ...given, url: address }));
  const interceptors = [metadataOf(agent, () => target, options.authorize)];
  const factory = new ClientFactory({ transports, clientConfig: { interceptors } });
  const client = await factory.createFromAgentCard({ ...card, supportedInterfaces });
  return {
    client,
    close() {
      for (const channel of channels.splice(0)) channel.close();
    },
  };
}

interface Placed {
  readonly given: AgentInterface;
  readonly origin: string;
  /** As its transport takes it. */
  readonly address: string;
}

/** Where an interface is. Of gRPC it is written `HOST:PORT` or as a URL; without a scheme it is encrypted where the card came encrypted. */
function placed(given: AgentInterface, card: URL): Placed {
  if (!isGrpc(given)) {
    const { origin, href } = new URL(given.url, card);
    return { given, origin, address: href };
  }
  const [, scheme = card.protocol.slice(0, -1), rest = ""] = /^(?:(\w+):\/\/)?(.*)$/.exec(given.url) ?? [];
  const text = `${scheme === "https" || scheme === "grpcs" ? "https" : "http"}://${rest}`;
  if (!URL.canParse(text)) return { given, origin: given.url, address: "" };
  const { protocol, origin, hostname, port } = new URL(text);
  return { given, origin, address: `${hostname}:${port || (protocol === "https:" ? "443" : "80")}` };
}

/** What authenticates a call over gRPC, as metadata. Requests over HTTP are authenticated where they are sent. */
function metadataOf(agent: string, target: () => URL | undefined, authorize: Authorize): CallInterceptor {
  return {
    async before(call) {
      const origin = target();
      if (origin === undefined) return;
      const url = new URL(origin);
      const headers = new Headers();
      await authorize(url, headers, call.options?.signal);
      if (url.search !== "") {
        const message = `The card of agent "${agent}" wants a key in the query of a URL, which calls over gRPC do not have.`;
        throw new A2aError(A2aErrorCode.AUTH, message, { details: { agent, schemes: [] } });
      }
      const serviceParameters = { ...call.options?.serviceParameters, ...Object.fromEntries(headers) };
      call.options = { ...call.options, serviceParameters };
    },
    async after() {},
  };
}

const packages = "@grpc/grpc-js @bufbuild/protobuf";

/** Loads the packages of gRPC, which only agents on gRPC need; or says why they cannot be loaded. */
async function loadGrpc(): Promise<GrpcPackages | { readonly missing: unknown }> {
  try {
    const [{ GrpcTransportFactory }, { credentials }] = await Promise.all([
      import("@a2a-js/sdk/client/grpc"),
      import("@grpc/grpc-js"),
    ]);
    return { GrpcTransportFactory, credentials };
  } catch (cause) {
    return { missing: cause };
  }
}

interface GrpcPackages {
  readonly GrpcTransportFactory: typeof import("@a2a-js/sdk/client/grpc")["GrpcTransportFactory"];
  readonly credentials: typeof import("@grpc/grpc-js")["credentials"];
}

function notInstalled(agent: string, cause: unknown): A2aError {
  const isMissing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
  const why = isMissing ? "are not installed" : `cannot be loaded: ${String(cause)}`;
  const message = `Agent "${agent}" takes calls over gRPC alone, whose packages ${why}. Install them: npm install ${packages}`;
  return new A2aError(A2aErrorCode.NOT_INSTALLED, message, {
    details: { agent, packages: packages.split(" ") },
    cause,
  });
}

// The client of the server: typed by the endpoints' schemas, and with nothing of them at run time.
export { type Client, ClientError, type ClientOptions, createClient } from "./client/create-client.ts";
export type { EventsOptions } from "./client/events.ts";
export type { EndpointInput } from "./client/input-of.ts";

import { lookup as lookUpName } from "node:dns";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Where an agent may push: origins that are named, and any https address of the internet where `isPublic` is true. */
export interface PushRule {
  readonly origins: ReadonlySet<string>;
  readonly isPublic: boolean;
}

/** Addresses that are not of the internet at large: this machine, its networks, and what is reserved (RFC 6890). */
const reserved = new BlockList();
for (const [address, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const)
  reserved.addSubnet(address, bits, "ipv4");

/** In IPv6 the internet is 2000::/3, without the ranges in it that carry IPv4 addresses or are reserved. */
const internet6 = new BlockList();
internet6.addSubnet("2000::", 3, "ipv6");
const reserved6 = new BlockList();
for (const [address, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  reserved6.addSubnet(address, bits, "ipv6");

/** Whether an address is one of the internet at large. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !reserved.check(address, "ipv4");
  return family === 6 && internet6.check(address, "ipv6") && !reserved6.check(address, "ipv6");
}

/**
 * What is wrong with a URL that a client wants pushes sent to. A name is only known to be of the internet when it is resolved, which `post` sees to.
 * @returns what was expected, for "Expected … to be"; nothing for a URL that fits
 */
export function wrongTarget(text: string, { origins, isPublic }: PushRule): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return "an http or https URL";
  if (url.username !== "" || url.password !== "") return "a URL without a user and password in it";
  if (origins.has(url.origin)) return undefined;
  if (!isPublic) return "on an origin that this agent pushes to";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (url.protocol !== "https:") return "an https URL";
  return isIP(host) === 0 || isPublicAddress(host) ? undefined : "an address of the internet";
}

/** A name that resolves to an address which pushes must not go to. */
export class ForbiddenAddress extends Error {
  override readonly name = "ForbiddenAddress";
}

/** Resolves a name, and refuses it where any of its addresses is not of the internet. The connection is made to what was checked. */
const publicLookup: LookupFunction = (host, options, done) => {
  lookUpName(host, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return done(error, "");
    const forbidden = addresses.find(({ address }) => !isPublicAddress(address));
    const [first] = addresses;
    if (forbidden !== undefined || first === undefined) {
      return done(new ForbiddenAddress("The name resolves to an address that is not of the internet."), "");
    }
    if (options.all === true) return done(null, addresses);
    done(null, first.address, first.family);
  });
};

/**
 * Posts a text, follows no redirect and reads nothing of the answer.
 * @returns the status
 * @throws ForbiddenAddress; what the connection threw; the signal's reason
 */
export function post(
  url: URL,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  { origins }: PushRule,
  signal: AbortSignal,
): Promise<number> {
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  const guard = origins.has(url.origin) ? {} : { lookup: publicLookup };
  return new Promise((resolve, reject) => {
    const length = String(Buffer.byteLength(body));
    const call = send(url, { method: "POST", headers: { ...headers, "content-length": length }, signal, ...guard });
    call.on("response", (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    call.on("error", reject);
    call.end(body);
  });
}

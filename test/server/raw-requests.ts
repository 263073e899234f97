import { connect } from "node:net";
import { text } from "node:stream/consumers";

/** What a caller may send in the place of an id, each with what it is. */
export const strangeIds = [
  ["unknown", "none"],
  ["a path out of the folder", "../../../etc/passwd"],
  ["a path in encoded form", "..%2f..%2fsecrets"],
  ["an absolute path", "/etc/passwd"],
  ["a backslash", "..\\..\\x"],
  ["a name of Object.prototype", "constructor"],
  ["__proto__", "__proto__"],
  ["a byte of zero", "a\u0000b"],
  ["a line end", "a\r\nx-injected: 1"],
  ["very long", "x".repeat(5_000)],
  ["half a surrogate pair", "%uD800"],
  ["SQL", "' OR 1=1 --"],
  ["a wildcard", "%"],
] as const;

/** The lines before the body of a request. */
export function headOf(method: string, path: string, ...lines: readonly string[]): string {
  return [`${method} ${path} HTTP/1.1`, ...lines, "content-type: application/json", "", ""].join("\r\n");
}

/** Sends a request as it is, and gives the whole answer. */
export function sendRaw(port: number, request: string): Promise<string> {
  const socket = connect(port);
  socket.write(request);
  return text(socket);
}

/**
 * Sends a body in pieces that never ends, and gives the answer.
 * @param head with `transfer-encoding: chunked`
 * @param maxBytes what the server takes. Just more is sent: what comes after the answer would break the connection before the answer is read
 */
export function sendEndlessBody(port: number, head: string, maxBytes: number): Promise<string> {
  const bytes = maxBytes > 2 ** 20 ? 0x40000 : 0x2000;
  const piece = `${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`;
  const socket = connect(port);
  socket.write(head);
  for (let sent = 0; sent <= maxBytes; sent += bytes) socket.write(piece);
  return text(socket);
}

/** Sends headers that never end, a letter at a time for 8 seconds, and gives what is answered at last. A letter that crossed the answer would break the connection before the answer is read. */
export async function sendEndlessHeaders(port: number, method: string, path: string): Promise<string> {
  const socket = connect(port);
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: localhost\r\nx-slow: `);
  const drip = setInterval(() => socket.write("x"), 500);
  setTimeout(() => clearInterval(drip), 8_000);
  try {
    return await text(socket);
  } finally {
    clearInterval(drip);
  }
}

import { redact, redactCause } from "@planloom/plan";
import { RedactedPieces } from "@planloom/plan/internals";
import fc from "fast-check";
import { expect, test } from "vitest";

test.for([
  { name: "texts", value: "key sk-123456!", clean: "key [redacted]!" },
  { name: "texts within", value: { a: ["sk-123456", 1, null] }, clean: { a: ["[redacted]", 1, null] } },
  { name: "keys", value: { "sk-123456": 1 }, clean: { "[redacted]": 1 } },
  { name: "the longer of two first", value: "sk-123456-more", clean: "[redacted]" },
  { name: "what JSON escapes", value: { a: 'pass"\\word' }, clean: { a: "[redacted]" } },
])("blanks $name", ({ value, clean }) => {
  expect(redact(value, ["sk-123456", "sk-123456-more", 'pass"\\word'])).toEqual(clean);
});

test("leaves what holds none as it is, and short words alone", () => {
  const value = { a: ["none"], __proto__: null };
  expect(redact(value, ["sk-123456", "none", ""])).toBe(value);
  const own = JSON.parse('{"__proto__": "sk-123456"}');
  expect(Object.entries(redact(own, ["sk-123456"]))).toEqual([["__proto__", "[redacted]"]]);
});

const key = "-----BEGIN KEY-----\r\nMIIEv+ab/cd==\r\n\tshort\r\nQ29udGludWVk&more\r\n-----END KEY-----";
const odd = 'tOk3n-"q\\u/é<V4LUE';

test.for([
  { name: "line by line", secret: key, show: (text: string) => text.split("\r\n").join("\n> ") },
  {
    name: "with its control characters stripped",
    secret: "abcdef\0ghijkl",
    show: (text: string) => text.replace("\0", ""),
  },
  {
    name: "with its control characters written out",
    secret: "abcdef\0ghijkl",
    show: (text: string) => JSON.stringify({ text }),
  },
  { name: "with other line ends", secret: key, show: (text: string) => text.replaceAll("\r\n", "\n") },
  { name: "in JSON", secret: key, show: (text: string) => JSON.stringify({ text }) },
  { name: "in JSON in JSON", secret: odd, show: (text: string) => JSON.stringify(JSON.stringify({ text })) },
  { name: "in ASCII JSON", secret: odd, show: (text: string) => JSON.stringify(text).replace("é", "\\u00e9") },
  {
    name: "in an address",
    secret: odd,
    show: (text: string) => `https://example.com/?key=${encodeURIComponent(text)}`,
  },
  { name: "in a form", secret: "two words+1", show: (text: string) => new URLSearchParams({ text }).toString() },
  { name: "in HTML", secret: odd, show: (text: string) => text.replaceAll('"', "&quot;").replaceAll("<", "&lt;") },
  { name: "decomposed", secret: odd, show: (text: string) => text.normalize("NFD") },
  { name: "in base64", secret: key, show: (text: string) => `key: ${Buffer.from(text).toString("base64")}` },
  { name: "in hexadecimal digits", secret: odd, show: (text: string) => Buffer.from(text).toString("hex") },
])("a secret is found $name", ({ secret, show }) => {
  const shown = show(secret);
  const clean = redact({ shown }, [secret]).shown;
  expect(clean).toContain("[redacted]");
  for (const piece of ["MIIEv", "Q29udG", "more", "abcdef", "ghijkl", "tOk3n", "V4LUE", "two", "words"]) {
    expect(clean).not.toContain(piece);
  }
  const encodings = [Buffer.from(secret).toString("base64").slice(0, 12), Buffer.from(secret).toString("hex")];
  for (const piece of encodings) expect(clean).not.toContain(piece);
});

test("the causes of an error show no secret; those that hold none stay", () => {
  const plain = new TypeError("fetch failed", { cause: new Error("ECONNRESET") });
  expect(redactCause(plain, [key])).toBe(plain);
  const inner = Object.assign(new Error(`Invalid value "Bearer ${key}"`), { code: "ERR_INVALID_CHAR" });
  const outer = redactCause(new TypeError("fetch failed", { cause: inner }), [key]);
  expect(outer).toMatchObject({ name: "TypeError", message: "fetch failed" });
  const { cause } = outer as Error;
  expect(cause).toMatchObject({ code: "ERR_INVALID_CHAR", message: expect.stringContaining("[redacted]") });
  const { message, stack } = cause as Error;
  expect(`${message}${stack}${(outer as Error).stack}`).not.toContain("MIIEv");
});

test("a secret that is split over pieces is blanked as in the whole text, and nothing else is kept back for good", () => {
  const secrets = ["sk-123456", "sk-123456-more", "kskskskssk"];
  const parts = fc.constantFrom(...secrets, "sk-", "sk-12345", "ks", "a", " ", "c2st");
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), fc.array(fc.nat(6), { minLength: 1 }), (said, lengths) => {
      const text = said.join("");
      const pieces = new RedactedPieces();
      let given = "";
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const length = 1 + lengths[turn % lengths.length]!;
        given += pieces.add(text.slice(at, at + length), secrets);
        at += length;
        for (const secret of secrets) expect(given).not.toContain(secret);
      }
      given += pieces.end(secrets);
      for (const secret of secrets) expect(given).not.toContain(secret);
      expect(given.length > 0).toBe(text.length > 0);
      if (redact(text, secrets) === text) expect(given).toBe(text);
    }),
  );
});

test("what cannot be a secret is given at once", () => {
  const pieces = new RedactedPieces();
  expect(["Oh", ", sk-1", "2", "!", " sk-12", "3456"].map((piece) => pieces.add(piece, ["sk-123456"]))).toEqual([
    "Oh",
    ", ",
    "",
    "sk-12!",
    " ",
    "[redacted]",
  ]);
  expect(pieces.end(["sk-123456"])).toBe("");
});

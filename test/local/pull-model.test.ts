import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findModel, listModels, modelInUse, pullModel, useModel } from "@planloom/local";
import { describe, expect, onTestFinished, test } from "vitest";

const content = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(300_000, "weights ")]);
const sha256 = createHash("sha256").update(content).digest("hex");

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "planloom-pull-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, "models");
}

/** A hub that answers each request as the test says, and notes what was asked from which byte. */
async function hub(answer: (response: ServerResponse, from: number, request: IncomingMessage, count: number) => void) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers.range);
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
    answer(response, from, request, asked.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo/tiny.gguf` };
}

/** Sends the file from a byte on; up to `until`, and breaks off once that is written down in `part`. */
function give(response: ServerResponse, from: number, until = content.length, part = ""): void {
  const headers = {
    "content-length": content.length - from,
    ...(from > 0 && { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` }),
  };
  response.writeHead(from > 0 ? 206 : 200, headers);
  if (until === content.length) {
    response.end(content.subarray(from));
    return;
  }
  response.write(content.subarray(from, until));
  const watch = setInterval(() => {
    if ((statSync(part, { throwIfNoEntry: false })?.size ?? 0) < until) return;
    clearInterval(watch);
    response.destroy();
  }, 2);
}

describe("weights are downloaded", () => {
  test("to their own name once all is there and verified, as the hub says with its redirect", async () => {
    const folder = newFolder();
    const { url, asked } = await hub((response, from, request) => {
      if (request.url?.startsWith("/cdn") === true) return give(response, from);
      response.writeHead(302, { location: "/cdn/1", "x-linked-etag": `"${sha256}"`, "x-linked-size": content.length });
      response.end();
    });
    const reported: object[] = [];
    const model = await pullModel({ url, folder, onProgress: (progress) => reported.push(progress) });
    expect(model).toEqual({ name: "tiny", file: join(folder, "tiny.gguf"), bytes: content.length, url, sha256 });
    expect(readFileSync(model.file).equals(content)).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(["tiny.gguf", "tiny.json"]);
    expect(statSync(model.file).mode & 0o077).toBe(0);
    expect(reported.at(-1)).toEqual({ bytes: content.length, total: content.length });
    expect(await listModels(folder)).toEqual([model]);
    await expect(pullModel({ url, folder })).rejects.toMatchObject({ code: "LOCAL_EXISTS" });
    expect(asked).toHaveLength(2);
  });

  test("from where it broke off, and from the beginning where the hub cannot go on", async () => {
    for (const goesOn of [true, false]) {
      const folder = newFolder();
      const { url, asked } = await hub((response, from, _, count) =>
        count === 1 ? give(response, 0, 100_000, join(folder, ".tiny.gguf.part")) : give(response, goesOn ? from : 0),
      );
      await expect(pullModel({ url, folder, sha256 })).rejects.toMatchObject({
        code: "LOCAL_DOWNLOAD",
        message: expect.stringContaining("goes on"),
      });
      expect(existsSync(join(folder, "tiny.gguf"))).toBe(false);
      const had = statSync(join(folder, ".tiny.gguf.part")).size;
      expect(had).toBeGreaterThan(0);
      await pullModel({ url, folder, sha256 });
      expect(asked).toEqual([undefined, `bytes=${had}-`]);
      expect(readFileSync(join(folder, "tiny.gguf")).equals(content)).toBe(true);
    }
  });

  test("whole already, and only not renamed yet", async () => {
    const folder = newFolder();
    const { url } = await hub((response, from, _, count) => {
      if (count === 1) return give(response, 0, 200_000, join(folder, ".tiny.gguf.part"));
      if (from < content.length) return give(response, from);
      response.writeHead(416).end();
    });
    await pullModel({ url, folder, sha256 }).catch(() => undefined);
    writeFileSync(join(folder, ".tiny.gguf.part"), content);
    expect((await pullModel({ url, folder, sha256 })).bytes).toBe(content.length);
  });
});

describe("nothing is kept that was not verified", () => {
  test("without a checksum nothing is downloaded; one that the hub denies likewise", async () => {
    const folder = newFolder();
    const { url } = await hub((response, from) => give(response, from));
    await expect(pullModel({ url, folder })).rejects.toMatchObject({
      code: "LOCAL_NO_CHECKSUM",
      message: expect.stringContaining("--sha256"),
    });
    const other = await hub((response) => response.writeHead(200, { "x-linked-etag": `"${sha256}"` }).end("GGUF"));
    await expect(pullModel({ url: other.url, folder, sha256: "0".repeat(64) })).rejects.toMatchObject({
      code: "LOCAL_CHECKSUM",
      details: { got: sha256 },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("what has another checksum is deleted", async () => {
    const folder = newFolder();
    const { url } = await hub((response, from) => give(response, from));
    await expect(pullModel({ url, folder, sha256: "1".repeat(64) })).rejects.toMatchObject({
      code: "LOCAL_CHECKSUM",
      details: { got: sha256 },
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test("what never ends is not written down beyond what the hub said", async () => {
    const folder = newFolder();
    let given = 0;
    const { url } = await hub((response) => {
      response.writeHead(200, { "x-linked-size": content.length, "x-linked-etag": `"${sha256}"` });
      const more = () => {
        given += content.length;
        response.write(Buffer.alloc(content.length), (error) => error ?? setImmediate(more));
      };
      more();
    });
    await expect(pullModel({ url, folder })).rejects.toMatchObject({ code: "LOCAL_CHECKSUM" });
    expect(given).toBeGreaterThan(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a hub that refuses, falls silent or leads astray; addresses, names and sums that are none", async () => {
    const folder = newFolder();
    const at = (answer: Parameters<typeof hub>[0], idleTimeoutMs = 60_000) =>
      hub(answer).then(({ url }) => pullModel({ url, folder, sha256, idleTimeoutMs }));
    await expect(at((response) => response.writeHead(403).end())).rejects.toMatchObject({
      code: "LOCAL_DOWNLOAD",
      details: { status: 403 },
    });
    await expect(at(() => undefined, 50)).rejects.toThrow(/nothing came for 50 ms/);
    await expect(at((response) => response.writeHead(302, { location: "/again" }).end())).rejects.toThrow(
      /leads on and on/,
    );
    await expect(at((response) => response.writeHead(302, { location: "ftp://x/y" }).end())).rejects.toThrow(
      /leads to ftp:/,
    );
    await expect(
      at((response) => response.writeHead(302, { location: "http://other.example/x.gguf" }).end()),
    ).rejects.toThrow(/leads to http:\/\/other\.example/);
    await expect(at((response) => response.writeHead(302, { location: "http://[x" }).end())).rejects.toMatchObject({
      code: "LOCAL_DOWNLOAD",
      message: expect.stringContaining("no address"),
    });
    const url = "https://hub.example/x.gguf";
    for (const options of [
      { url: "http://hub.example/x.gguf" },
      { url: "x" },
      { url: "https://hub.example/%E0%A4%A.gguf" },
      { url, name: "../up" },
      { url, sha256: "12" },
    ]) {
      await expect(pullModel({ folder, sha256, ...options })).rejects.toMatchObject({ code: "LOCAL_OPTION" });
    }
    const stop = new Error("enough");
    await expect(pullModel({ url, folder, sha256, signal: AbortSignal.abort(stop) })).rejects.toBe(stop);
  });
});

test("what stands behind the ? of an address may be a key: it is in no error and no record", async () => {
  const folder = newFolder();
  const { url } = await hub((response, from) => give(response, from));
  const signed = `${url}?token=KEY`;
  for (const given of [{}, { sha256: "0".repeat(64) }]) {
    const thrown = await pullModel({ url: signed, folder, ...given }).catch((error: unknown) => error);
    const { message, details } = thrown as Error & { details: object };
    expect([message, JSON.stringify(details)].join()).not.toContain("KEY");
  }
  expect(await pullModel({ url: signed, folder, sha256 })).toMatchObject({ url });
  expect(await listModels(folder)).toMatchObject([{ url }]);
});

test("a record of a download that is broken is none", async () => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, ".tiny.part.json"), '{"sha256": 5}');
  const { url } = await hub((response, from) => {
    response.setHeader("x-linked-etag", `"${sha256}"`);
    give(response, from);
  });
  expect(await pullModel({ url, folder })).toMatchObject({ name: "tiny", sha256 });
});

test("a model is used by its name or its file, until none is", async () => {
  const folder = newFolder();
  const { url } = await hub((response, from) => give(response, from));
  const { file } = await pullModel({ url, folder, sha256 });
  expect(await modelInUse(folder)).toBeUndefined();
  await useModel(folder, await findModel(folder, "tiny"));
  expect(await modelInUse(folder)).toEqual({ name: "tiny", file });
  expect(await findModel("/nowhere", file)).toEqual({ name: "tiny", file });
  await expect(findModel(folder, "big")).rejects.toThrow(/There is no model "big".*There are: tiny/);
  await useModel(folder, undefined);
  expect(await modelInUse(folder)).toBeUndefined();
});

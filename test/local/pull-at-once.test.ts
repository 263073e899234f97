import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { findModel, listModels, pullModel, useModel } from "@planloom/local";
import { expect, onTestFinished, test } from "vitest";
import { smallDisk } from "../support/small-disk.ts";

const content = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(300_000, "weights ")]);
const sha256 = shaOf(content);

function shaOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "planloom-pull-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function hub(answer: (response: ServerResponse, count: number) => void) {
  let asked = 0;
  const server = createServer((_, response) => answer(response, ++asked));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked: () => asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/repo/tiny.gguf` };
}

const lockOf = (folder: string) => join(folder, ".tiny.lock");

test("of several downloads to one name one is made, and the others hear who makes it", async () => {
  const folder = newFolder();
  const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
  const { url, asked } = await hub((response) => {
    response.writeHead(200, { "content-length": content.length });
    response.write(content.subarray(0, 1_000), () => begin(() => response.end(content.subarray(1_000))));
  });
  const first = pullModel({ url, folder, sha256 });
  const end = await begun;
  const others = await Promise.allSettled([1, 2, 3].map(() => pullModel({ url, folder, sha256 })));
  for (const other of others) {
    expect(other).toMatchObject({
      reason: {
        ...{ name: "LocalError", code: "LOCAL_BUSY", details: { pid: process.pid, file: lockOf(folder) } },
        message: expect.stringMatching(new RegExp(`under way \\(process ${process.pid}, since .*--name`)),
      },
    });
  }
  end();
  expect(await first).toMatchObject({ name: "tiny", bytes: content.length });
  expect(asked()).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(["tiny.gguf", "tiny.json"]);
  // With another name it goes on beside it.
  const { url: other } = await hub((response) => response.end(content));
  expect(await pullModel({ url: other, folder, sha256, name: "second" })).toMatchObject({ name: "second" });
});

test.for([
  { what: "a process that has died", holder: () => ({ token: "x", pid: deadPid(), host: hostname() }), ageMs: 0 },
  { what: "another machine that is silent", holder: () => ({ token: "x", pid: 1, host: "elsewhere" }), ageMs: 60_000 },
  { what: "nobody that can be read", holder: () => "", ageMs: 60_000 },
])("the lock of $what is taken away, by one", async ({ holder, ageMs }) => {
  const folder = newFolder();
  writeFileSync(lockOf(folder), JSON.stringify(holder()));
  const at = new Date(Date.now() - ageMs);
  utimesSync(lockOf(folder), at, at);
  const { url, asked } = await hub((response) => response.end(content));
  const ended = await Promise.allSettled([1, 2, 3].map(() => pullModel({ url, folder, sha256 })));
  const done = ended.filter(({ status }) => status === "fulfilled");
  expect(done).toHaveLength(1);
  for (const each of ended) {
    if (each.status === "rejected") expect(each.reason.code).toMatch(/^LOCAL_(?:BUSY|EXISTS)$/);
  }
  expect(asked()).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(["tiny.gguf", "tiny.json"]);
});

test.for([
  { what: "a living process", holder: { token: "x", pid: process.pid, host: hostname() } },
  { what: "another machine that was heard just now", holder: { token: "x", pid: 1, host: "elsewhere" } },
])("the lock of $what stays", async ({ holder }) => {
  const folder = newFolder();
  writeFileSync(lockOf(folder), JSON.stringify(holder));
  const { url, asked } = await hub((response) => response.end(content));
  await expect(pullModel({ url, folder, sha256 })).rejects.toMatchObject({ code: "LOCAL_BUSY" });
  expect([asked(), readdirSync(folder)]).toEqual([0, [".tiny.lock"]]);
});

test("a download that was stopped keeps what came, without a lock, and goes on", async () => {
  const folder = newFolder();
  const stop = new AbortController();
  const { url } = await hub((response, count) => {
    response.setHeader("content-length", content.length);
    if (count > 1) response.end(content);
    else response.write(content.subarray(0, 50_000));
  });
  const onProgress = () => stop.abort(new Error("enough"));
  await expect(pullModel({ url, folder, sha256, signal: stop.signal, onProgress })).rejects.toThrow("enough");
  expect(readdirSync(folder).sort()).toEqual([".tiny.gguf.part", ".tiny.part.json"]);
  expect(await listModels(folder)).toEqual([]);
  expect(await pullModel({ url, folder, sha256 })).toMatchObject({ bytes: content.length });
  expect(readFileSync(join(folder, "tiny.gguf")).equals(content)).toBe(true);
});

test("nothing stays of a file that has the right sum and is no model", async () => {
  const folder = newFolder();
  const page = Buffer.from("<html>");
  const { url } = await hub((response) => response.end(page));
  const given = pullModel({ url, folder, sha256: shaOf(page) });
  await expect(given).rejects.toMatchObject({ code: "LOCAL_WEIGHTS" });
  expect(readdirSync(folder)).toEqual([]);
});

test("a folder that cannot be one is an error with a code", async () => {
  const file = join(newFolder(), "file");
  writeFileSync(file, "");
  const { url, asked } = await hub((response) => response.end(content));
  for (const folder of [file, join(file, "models")]) {
    await expect(pullModel({ url, folder, sha256 })).rejects.toMatchObject({
      ...{ code: "LOCAL_DISK", details: { folder, errno: expect.stringMatching(/^E(?:NOTDIR|EXIST)$/) } },
    });
  }
  expect(asked()).toBe(0);
});

test("a disk without room is said before, and one that fills up meanwhile keeps nothing", async (context) => {
  await using disk = await smallDisk(1);
  if (disk === undefined) return context.skip();
  const { folder } = disk;
  const large = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(3_000_000, "weights ")]);
  const said = await hub((response) => response.setHeader("content-length", large.length).end(large));
  await expect(pullModel({ url: said.url, folder, sha256: shaOf(large) })).rejects.toMatchObject({
    ...{ code: "LOCAL_DISK", details: { errno: "ENOSPC", needed: large.length } },
  });
  expect(readdirSync(folder)).toEqual([]);
  const unsaid = await hub((response) => {
    response.write(large);
    response.end();
  });
  const given = pullModel({ url: unsaid.url, folder, sha256: shaOf(large) });
  await expect(given).rejects.toMatchObject({ code: "LOCAL_DISK", message: expect.stringContaining("disk is full") });
  expect(readdirSync(folder)).toEqual([]);
});

test("several that say at once which model is used leave one of them", async () => {
  const folder = newFolder();
  writeFileSync(join(folder, "tiny.gguf"), content);
  const model = await findModel(folder, "tiny");
  await Promise.all(Array.from({ length: 8 }, () => useModel(folder, model)));
  expect(readdirSync(folder).sort()).toEqual(["in-use.json", "tiny.gguf"]);
});

/** The id of a process that has ended. */
function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

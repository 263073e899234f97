import { spawnSync } from "node:child_process";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../examples/quickstart", import.meta.url));
const start = (file: string) => spawnSync(process.execPath, [file], { encoding: "utf8", timeout: 15_000 });

test("the README's example runs offline and asserts its own result", () => {
  const { status, stdout, stderr } = start(join(folder, "main.ts"));
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    books: [{ title: "Independent People" }, { title: "The Fish Can Sing" }],
  });
});

test("it is twelve lines", async () => {
  const text = await readFile(join(folder, "main.ts"), "utf8");
  const [, region = ""] = /\/\/ #region readme\n([\s\S]*?)\/\/ #endregion/.exec(text) ?? [];
  expect(region.trimEnd().split("\n")).toHaveLength(12);
});

test("it exits non-zero when the result is another", async () => {
  const copy = await mkdtemp(join(tmpdir(), "planloom-quickstart-"));
  try {
    await cp(folder, copy, { recursive: true });
    const library = join(copy, "library.ts");
    await writeFile(library, (await readFile(library, "utf8")).replace("The Fish Can Sing", "Salka Valka"));
    const { status, stderr } = start(join(copy, "main.ts"));
    expect(status).not.toBe(0);
    expect(stderr).toContain("Salka Valka");
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});

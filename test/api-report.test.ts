import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repository } from "./support/run-cli.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "planloom-api-"));
  const entry = { types: "./dist/index.d.ts", default: "./dist/index.js" };
  await write("package.json", JSON.stringify({ name: "sample", publishConfig: { exports: { ".": entry } } }));
  await write(
    "dist/index.d.ts",
    `export { type Box as Crate, open } from "./box.ts";\nexport { z, type ZodType } from "zod";\nexport * from "elsewhere";\n`,
  );
  await write(
    "dist/box.d.ts",
    `import type { Lid } from "./lid.ts";
/** Holds // things. */
export interface Box {
    /** The lid. */
    readonly lid: Lid;
    readonly url: "https://example.org";
}
export declare function open(box: Box): void;
export declare function open(box: Box, how: import("./lid.ts").How): Promise<void>;
interface Unrelated {}
`,
  );
  await write("dist/lid.d.ts", "export interface Lid { readonly round: boolean }\nexport type How = 'wide';\n");
});
afterEach(() => rm(folder, { recursive: true }));

async function write(name: string, text: string): Promise<void> {
  const file = join(folder, "sample", name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

const report = (...args: string[]) =>
  spawnSync(process.execPath, [join(repository, "api-report.ts"), ...args, folder], { encoding: "utf8" });

test("values, types and what they mention, without comments", async () => {
  expect(report()).toMatchObject({ status: 0, stderr: "" });
  expect(await readFile(join(folder, "sample/api.md"), "utf8")).toBe(`# What \`sample\` exports

Written by \`pnpm api\`; a change of it is a change for users.

## \`sample\`

\`\`\`ts
export * from "elsewhere";

export {
    type ZodType,
    z,
} from "zod";

// exported as Crate
export interface Box {
    readonly lid: Lid;
    readonly url: "https://example.org";
}

export declare function open(box: Box): void;

export declare function open(box: Box, how: import("./lid.ts").How): Promise<void>;
\`\`\`

Mentioned there, not exported:

\`\`\`ts
// lid.ts
export interface Lid { readonly round: boolean }

// lid.ts
export type How = 'wide';
\`\`\`
`);
  expect(report("--check")).toMatchObject({ status: 0, stderr: "" });
});

test("a change of a type that is only mentioned is a difference", async () => {
  report();
  await write("dist/lid.d.ts", "export interface Lid { readonly round?: boolean }\nexport type How = 'wide';\n");
  const { status, stderr } = report("--check");
  expect(status).toBe(1);
  expect(stderr).toContain("- export interface Lid { readonly round: boolean }");
  expect(stderr).toContain("+ export interface Lid { readonly round?: boolean }");
  expect(stderr).toContain("run `pnpm api`");
});

test("what two entries export is shown under the first, and is not called unexported", async () => {
  const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
  const exports = { ".": entry("index"), "./lids": entry("lids") };
  await write("package.json", JSON.stringify({ name: "sample", publishConfig: { exports } }));
  await write("dist/lids.d.ts", `export type { Lid } from "./lid.ts";\nexport type { Box } from "./box.ts";\n`);
  expect(report()).toMatchObject({ status: 0, stderr: "" });
  const [, top, lids] = (await readFile(join(folder, "sample/api.md"), "utf8")).split(/^## /m);
  expect(top).not.toContain("interface Lid");
  expect(top).toContain("// lid.ts\nexport type How");
  expect(lids).toBe(`\`sample/lids\`

\`\`\`ts
export {
    type Box,
} from "sample";

export interface Lid { readonly round: boolean }
\`\`\`
`);
});

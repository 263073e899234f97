import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { longestFiles } from "./longest-first.ts";
import { repository } from "./run-cli.ts";

test("the files that begin first are there", () => {
  expect(longestFiles.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});

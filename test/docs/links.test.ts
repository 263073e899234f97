import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const repository = fileURLToPath(new URL("../..", import.meta.url));

const pages = ["docs", "packages", "examples", "test"]
  .flatMap((part) => markdownIn(part))
  .concat(readdirSync(repository).filter((name) => name.endsWith(".md")));

function markdownIn(folder: string): string[] {
  return readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      // What a build copies there is the same as in `docs`.
      const isOurs = !["node_modules", "dist", ".venv"].includes(entry.name) && path !== "packages/planloom/docs";
      return isOurs ? markdownIn(path) : [];
    }
    return entry.name.endsWith(".md") ? [path] : [];
  });
}

/** The text without what only looks like headings and links. */
const withoutCode = (text: string) =>
  text.replaceAll(/^([ \t]*)```[\s\S]*?^\1```/gm, "").replaceAll(/`[^`\n]*`/g, "``");

/** Anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  const counts = new Map<string, number>();
  for (const [, heading = ""] of text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, "")
      .replaceAll(" ", "-");
    const before = counts.get(anchor) ?? 0;
    counts.set(anchor, before + 1);
    anchors.add(before === 0 ? anchor : `${anchor}-${before}`);
  }
  return anchors;
}

function deadLinksOf(page: string): string[] {
  const text = readFileSync(join(repository, page), "utf8");
  const links = withoutCode(text).matchAll(/\]\(<?([^)>\s]+)>?(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)/gm);
  return Array.from(links, ([, inline, defined]) => inline ?? defined ?? "").filter((link) => {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) return false;
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? join(repository, page) : join(repository, dirname(page), decodeURIComponent(path));
    if (relative(repository, target).startsWith("..") || !existsSync(target)) return true;
    if (anchor === undefined || !target.endsWith(".md")) return false;
    return !anchorsOf(readFileSync(target, "utf8")).has(anchor);
  });
}

test.each(pages)("links of %s lead somewhere", (page) => {
  expect(deadLinksOf(page)).toEqual([]);
});

test("headings give the anchors that GitHub gives", () => {
  const page = "# `run` & more\n## What's new?\n## What's new?\n```sh\n# a comment\n```\n### [Linked](x.md) _text_ 2.0";
  expect([...anchorsOf(page)]).toEqual(["run--more", "whats-new", "whats-new-1", "linked-_text_-20"]);
});

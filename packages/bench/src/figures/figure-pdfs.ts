import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { installedChromium } from "./chromium.ts";
import type { PaperFile } from "./paper-figures.ts";

const run = promisify(execFile);

/** A figure as a PDF of one page, as large as the figure, with the glyphs that it uses embedded. */
export interface PdfFile {
  /** With its ending, `.pdf`. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Longest time for one figure, in milliseconds. */
const TIMEOUT_MS = 120_000;

/**
 * The SVG files among figures for papers as PDF, by a Chromium that is installed here. Vectors stay vectors, and fonts are embedded as subsets.
 * @throws OptimizerError `OPTIMIZER_INPUT` where there is no Chromium, or it made no PDF
 */
export async function figurePdfs(files: readonly PaperFile[], signal?: AbortSignal): Promise<PdfFile[]> {
  const drawn = files.filter(({ name }) => name.endsWith(".svg"));
  if (drawn.length === 0) return [];
  const chromium = installedChromium();
  if (chromium === undefined) {
    const message =
      "Expected a Chromium to make PDF files with, found none: install chromium, or set CHROMIUM to its path.";
    throw new OptimizerError(OptimizerErrorCode.INPUT, message, { details: { variable: "CHROMIUM" } });
  }
  const folder = await mkdtemp(join(tmpdir(), "planloom-figures-"));
  try {
    const made: PdfFile[] = [];
    for (const { name, text } of drawn) {
      const pdf = join(folder, `${name.slice(0, -".svg".length)}.pdf`);
      const page = join(folder, `${name}.html`);
      await writeFile(page, pageOf(text));
      await print(chromium, page, pdf, join(folder, "profile"), signal);
      made.push({ name: name.replace(/\.svg$/, ".pdf"), bytes: await readFile(pdf) });
    }
    return made;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function print(chromium: string, page: string, pdf: string, profile: string, signal: AbortSignal | undefined) {
  const flags = [
    "--headless",
    "--disable-gpu",
    "--no-pdf-header-footer",
    "--no-first-run",
    `--user-data-dir=${profile}`,
  ];
  // Chromium does not start as root with its sandbox. The page is ours and loads nothing.
  if (process.getuid?.() === 0) flags.push("--no-sandbox");
  const options = { timeout: TIMEOUT_MS, ...(signal && { signal }) };
  try {
    await run(chromium, [...flags, `--print-to-pdf=${pdf}`, pathToFileURL(page).href], options);
    await readFile(pdf);
  } catch (cause) {
    signal?.throwIfAborted();
    const message = `Expected ${chromium} to write a PDF of a figure, and it did not: ${(cause as Error).message}`;
    throw new OptimizerError(OptimizerErrorCode.INPUT, message, { cause, details: { program: chromium } });
  }
}

/** A page that is as large as the figure. */
function pageOf(svg: string): string {
  const [, width = "480", height = "300"] = /<svg[^>]*? width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  // A page is a whole number of pixels high, and a fraction too low would make a second one.
  const size = `${Math.ceil(Number(width))}px ${Math.ceil(Number(height)) + 1}px`;
  return `<!doctype html>
<meta charset="utf-8">
<style>@page { size: ${size}; margin: 0 } html, body { margin: 0; overflow: hidden } svg { display: block }</style>
${svg.replace(/^<\?xml.*?\?>\s*/, "")}`;
}

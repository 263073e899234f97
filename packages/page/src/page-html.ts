import { readFile } from "node:fs/promises";
import type { PageData } from "./page-data.ts";

/** Where the data of a page that needs no server is put. */
const placeOfData = '<script type="application/json" id="page-data">null</script>';

/**
 * The page as one file of HTML without any request to elsewhere: with `data` it shows that run or plan by itself, without it asks the server that
 * it comes from. All text of the data is data: it cannot end the element that it is in.
 */
export async function pageHtml(data?: PageData): Promise<string> {
  const template = await pageTemplate();
  if (data === undefined) return template;
  const text = JSON.stringify(data).replaceAll("<", "\\u003c");
  return template.replace(placeOfData, () => placeOfData.replace("null", () => text));
}

let template: Promise<string> | undefined;

function pageTemplate(): Promise<string> {
  template ??= readTemplate();
  return template;
}

async function readTemplate(): Promise<string> {
  // In the repository the page is built when it is needed; a published package has it beside this file.
  if (!import.meta.url.endsWith(".ts")) return readFile(new URL("./page.html", import.meta.url), "utf8");
  const { builtPage } = (await import(new URL("../build-page.ts", import.meta.url).href)) as {
    builtPage(): Promise<string>;
  };
  return builtPage();
}

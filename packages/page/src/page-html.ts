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
  // Loaded when it is needed, as a module, so that a program that is bundled into one file has it.
  template ??= import("./page-template.ts").then(({ readTemplate }) => readTemplate());
  return template;
}

/**
 * The page as HTML. In the repository it is built when it is needed; in the published package this module is replaced by one that holds
 * the page (`bundle.ts`).
 */
export async function readTemplate(): Promise<string> {
  const { builtPage } = (await import(new URL("../build-page.ts", import.meta.url).href)) as {
    builtPage(): Promise<string>;
  };
  return builtPage();
}

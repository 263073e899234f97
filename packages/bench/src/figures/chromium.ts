import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
const elsewhere = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"];

/** A Chromium that is installed here: `CHROMIUM`, or by a usual name on `PATH`; `undefined` where there is none. */
export function installedChromium(): string | undefined {
  const { CHROMIUM, PATH = "" } = process.env;
  if (CHROMIUM !== undefined && CHROMIUM !== "") return CHROMIUM;
  const places = PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name)));
  return [...places, ...elsewhere].find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

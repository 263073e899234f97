// Tests that need a browser find it as the figures of the bench do.
export { installedChromium } from "../../packages/bench/src/figures/chromium.ts";

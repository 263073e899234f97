/** Builds the page into one file of HTML: by `pnpm build` for the package, in memory where the repository is used without a build. */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build, type Rolldown } from "vite";

const app = fileURLToPath(new URL("app", import.meta.url));

/** The page as it is in the sources. Its policy allows this script and style alone, and requests to the server that it comes from. */
export async function builtPage(): Promise<string> {
  const outputs = (await build({
    root: app,
    configFile: false,
    logLevel: "error",
    mode: "production",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: { write: false, target: "es2024", modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1_000_000 },
    worker: { format: "iife" },
  })) as Rolldown.RolldownOutput;
  const script = outputs.output.find((each) => each.type === "chunk")?.code ?? "";
  const style = outputs.output.find((each) => each.fileName.endsWith(".css"));
  const css = style?.type === "asset" ? String(style.source) : "";
  // `</script` within a text of the script would end the element.
  const code = script.replaceAll("</script", "<\\/script");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${hash(code)}'`,
    `style-src 'sha256-${hash(css)}'`,
    "img-src data:",
    "connect-src 'self'",
    "worker-src blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>Planloom</title>
<link rel="icon" href="data:,">
<style>${css}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="page-data">null</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

const hash = (text: string) => createHash("sha256").update(text).digest("base64");

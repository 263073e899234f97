#!/usr/bin/env node
// An older Node.js would stop at the first import it does not know, and say only that.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 18)) await import("../dist/main.js");
else {
  process.stderr.write(`error Planloom needs Node.js 22.18 or later, got ${process.versions.node}.  [CLI_NODE]\n`);
  process.exitCode = 2;
}

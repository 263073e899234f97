// CommonJS on purpose: loaded at the first call, synchronously, and still seen by bundlers. See docs/decisions/2026-11-22-bundling.md.
exports.loadJsonata = () => require("jsonata");

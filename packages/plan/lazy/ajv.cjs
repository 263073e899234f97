// CommonJS on purpose: loaded at the first call, synchronously, and still seen by bundlers. See docs/decisions/2026-11-22-bundling.md.
exports.loadAjv = () => require("#library/ajv").loadAjv();
exports.loadAjv2020 = () => require("#library/ajv").loadAjv2020();
exports.loadAjvFormats = () => require("#library/ajv").loadAjvFormats();

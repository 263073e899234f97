// One file, because the formats are added to the very class that is beside them.
exports.loadAjv = () => require("ajv").default;
exports.loadAjv2020 = () => require("ajv/dist/2020.js").default;
exports.loadAjvFormats = () => require("ajv-formats").default;

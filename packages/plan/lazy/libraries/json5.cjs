module.exports = require("json5");

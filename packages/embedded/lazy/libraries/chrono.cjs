module.exports = require("chrono-node/en");

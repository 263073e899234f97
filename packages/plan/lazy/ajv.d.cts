/** The validator of JSON Schema draft 7, loaded at the first call (20 to 60 ms). */
export function loadAjv(): typeof import("ajv").default;
/** The same for draft 2020-12. */
export function loadAjv2020(): typeof import("ajv/dist/2020.js").default;
/** What adds the `format` keyword to one of them. */
export function loadAjvFormats(): typeof import("ajv-formats").default;

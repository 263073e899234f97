/** The library `re2js`, loaded at the first call (10 ms). */
export function loadRe2js(): typeof import("re2js");

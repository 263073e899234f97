/** The library `jsonata`, loaded at the first call (10 ms). */
export function loadJsonata(): typeof import("jsonata");

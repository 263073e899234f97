/** The library `graphology`, loaded at the first call (12 ms). */
export function loadGraphology(): typeof import("graphology");

/** English dates of `chrono-node`, loaded at the first call (20 ms). */
export function loadChrono(): typeof import("chrono-node/en");

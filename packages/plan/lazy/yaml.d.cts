/** The library `yaml`, loaded at the first call (30 ms). */
export function loadYaml(): typeof import("yaml");

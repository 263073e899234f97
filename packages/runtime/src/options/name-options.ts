/**
 * An error's text with the place where each option that it names is set, for those who set options elsewhere than in code: "Raise
 * `totalTimeoutMs` (a key of the configuration)." Only names in camel case are looked at: `retry` and `approval` are fields of tasks as well.
 * @param placeOf where an option is set; `undefined` leaves its name as it is
 */
export function nameOptions(text: string, placeOf: (option: string) => string | undefined): string {
  return text.replace(/(\()?`([a-z]+(?:[A-Z][a-z0-9]*)+)`(\))?/g, (all, open = "", option, close = "") => {
    const place = placeOf(option);
    if (place === undefined) return all;
    // In brackets of its own already: "(`idleTimeoutMs`)".
    if (open !== "" && close !== "") return `(\`${option}\`, ${place})`;
    return `${open}\`${option}\` (${place})${close}`;
  });
}

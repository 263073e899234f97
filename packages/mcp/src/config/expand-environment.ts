/** A variable that has neither a value nor a default. */
export interface MissingVariable {
  readonly missing: string;
}

const pattern = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` by values of `environment`, in one pass: a value is never expanded again.
 * An empty value counts as unset where there is a default. `$${` means a literal `${`.
 * @param onValue is called with each value that was put in.
 */
export function expandEnvironment(
  text: string,
  environment: Readonly<Record<string, string | undefined>>,
  onValue: (name: string, value: string) => void = () => {},
): string | MissingVariable {
  let missing: string | undefined;
  const expanded = text.replace(pattern, (whole, name: string | undefined, fallback: string | undefined) => {
    if (name === undefined) return "${";
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value !== undefined && (value !== "" || fallback === undefined)) {
      onValue(name, value);
      return value;
    }
    if (fallback !== undefined) return fallback;
    missing ??= name;
    return whole;
  });
  return missing === undefined ? expanded : { missing };
}

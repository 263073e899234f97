/** One violation, in JSON Schema's words. */
export interface Violation {
  readonly keyword: string;
  /** JSON pointer to the offending value. */
  readonly pointer: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

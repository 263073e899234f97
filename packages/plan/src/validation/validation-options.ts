/** How strict validation is about what is not always wrong, and which secrets exist. */
export interface ValidationOptions {
  /**
   * Arguments that the resource's schema neither names nor forbids. Forbidden ones are always errors.
   * @default an error for a misspelling of a parameter (`stauts` of `status`), which the tool would do without; a warning for any other name
   */
  readonly unknownArguments?: "warning" | "error";
  /** Required arguments that are not there; a Stage 2 may still fill them. @default "error" */
  readonly missingArguments?: "warning" | "error";
  /** Names that `{"$secret": …}` may have. @default any */
  readonly secrets?: readonly string[];
}

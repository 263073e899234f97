/** How strict validation is about what is not always wrong, and which secrets exist. */
export interface ValidationOptions {
  /** Arguments that the resource's schema neither names nor forbids. Forbidden ones are always errors. @default "warning" */
  readonly unknownArguments?: "warning" | "error";
  /** Required arguments that are not there; a Stage 2 may still fill them. @default "error" */
  readonly missingArguments?: "warning" | "error";
  /** Names that `{"$secret": …}` may have. @default any */
  readonly secrets?: readonly string[];
}

import { customAlphabet } from "nanoid";

/** Letters and digits only: such an id can be typed as an argument (no leading `-`) and selected with a double click. */
const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A random id of 21 characters (125 bits), the default of plans, tasks and runs. */
export const newId: () => string = customAlphabet(alphabet, 21);

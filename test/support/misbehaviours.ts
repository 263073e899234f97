/** What a function of the user's may do wrong. */
export type Misbehaviour = "throws" | "rejects" | "never settles" | "gives nonsense" | "settles twice";

export const misbehaviours: Readonly<Record<Misbehaviour, (good: unknown) => () => unknown>> = {
  throws: () => () => {
    throw new Error("boom");
  },
  rejects: () => () => Promise.reject(new Error("boom")),
  "never settles": () => () => new Promise(() => {}),
  "gives nonsense": () => () => Symbol("nonsense"),
  "settles twice": (good) => () => ({
    // biome-ignore lint/suspicious/noThenProperty: a thenable that breaks the rules of promises is what is tested
    then(resolve: (value: unknown) => void, reject: (error: unknown) => void) {
      resolve(good);
      reject(new Error("second answer"));
      resolve("third answer");
    },
  }),
};

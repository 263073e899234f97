import fc from "fast-check";

// A failure is enough; nobody reads the smallest one.
fc.configureGlobal({ seed: 20261122, endOnFailure: true });

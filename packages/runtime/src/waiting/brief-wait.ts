/**
 * A dispatched subgraph waits in its worker for what is due so soon, in milliseconds. For what takes longer, and for signals, it gives its worker back and is
 * dispatched again when it has come.
 */
export const briefWaitMs = 100;

// For bundlers alone (condition "module"): in one file nothing is gained by loading late, and the graph's class is the user's own.
import * as graphology from "graphology";

export const loadGraphology = () => graphology;

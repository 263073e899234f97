/**
 * The program of a worker process of `childProcessDispatcher`, for bundles: importing it makes this process a worker, which loads
 * the module that its first argument names.
 */
import "@planloom/runtime/worker";

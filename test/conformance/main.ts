import { conformance } from "./command.ts";

const { log: print, error: complain } = console;
process.exitCode = await conformance(process.argv.slice(2), { env: process.env, print, complain });

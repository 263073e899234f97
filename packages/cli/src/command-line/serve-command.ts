import { runFlag } from "../options/run-flags.ts";
import {
  addPlanChoiceOptions,
  addSessionOptions,
  collect,
  jsonOption,
  nonNegative,
  portNumber,
  positiveInteger,
  positiveNumber,
  queueName,
  rate,
} from "../options/shared-options.ts";
import { addClaimOptions } from "../options/turn.ts";
import type { AddCommand } from "./add-command.ts";

/** `planloom serve`: the package `@planloom/server` on this machine's plans and runs. */
export const addServe: AddCommand = (program, io, done) => {
  const serve = addClaimOptions(
    addSessionOptions(
      program
        .command("serve")
        .summary("answer HTTP: plans, runs, approvals, events")
        .description(
          "answer HTTP until interrupted: plans, runs, approvals, events, and the two endpoints of a Behavior Controller; PLANLOOM_TOKEN is the token that requests need",
        ),
    ),
  );
  addPlanChoiceOptions(serve)
    .option("--host <host>", "where to listen (default: 127.0.0.1; beyond this machine it needs a token)")
    .option("--port <n>", "which port, 0 for any that is free (default: 8888)", portNumber)
    .option(
      "--tokens <file>",
      "who may make requests: names, tokens, scopes, and the home and tools of each (JSON or YAML)",
    )
    .option("--cors <origin>", "an origin whose pages may make requests; may be given again", collect)
    .option("--allowed-host <name>", "another name of this server in the header Host; may be given again", collect)
    .option(
      "--queue <name>",
      "runs begin as subgraphs for workers of any machine (planloom worker), and runs of such a queue are resumed; needs --on",
      queueName,
    )
    .option("--drain <seconds>", "how long running calls may take to end when it stops (default: 20)", nonNegative)
    .option("--rate-limit <limit>", "requests of each token in a time, N/SECONDS: 600/60 (default: any number)", rate)
    .option("--max-body <MiB>", "largest body of a request (default: 8)", positiveNumber)
    .option("--body-timeout <seconds>", "how long a body may take to come (default: 30)", positiveNumber)
    .option("--max-listeners <n>", "clients that may listen to events at once (default: 2000)", positiveInteger)
    .option(
      "--heart-beat <seconds>",
      "how often a quiet stream of events is sent a comment (default: 15)",
      positiveNumber,
    )
    .option(
      "--controller-timeout <seconds>",
      "limit of an answer of the controller's endpoints (default: 120)",
      positiveNumber,
    )
    .option("--base-path <path>", "the path under which a proxy has it: /planloom (default: none)")
    .option("--no-resume", "leave runs of the last process, and those that are due, to another server")
    .addOption(runFlag("secrets"))
    .addOption(runFlag("concurrency"))
    .addOption(jsonOption())
    .action(async (options) => done(await (await import("../commands/serve.ts")).serve(options, io)));
};

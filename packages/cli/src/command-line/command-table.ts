import { addA2a } from "./a2a-command.ts";
import type { AddCommand } from "./add-command.ts";
import { addApprove, addCancel, addDeny, addSignal } from "./answer-commands.ts";
import { addBench } from "./bench-command.ts";
import { addChat } from "./chat-command.ts";
import { addCompletion } from "./completion-command.ts";
import { addDevCluster } from "./dev-cluster-command.ts";
import { addJournal } from "./journal-command.ts";
import { addMcp } from "./mcp-command.ts";
import { addMemory } from "./memory-command.ts";
import { addModel } from "./model-command.ts";
import { addOpen } from "./open-command.ts";
import { addConvert, addDiff, addEdit, addGraph, addOptimize, addPlan, addSave, addValidate } from "./plan-commands.ts";
import { addFork, addLoop, addReplan, addReplay, addResume, addRun, addScheduler } from "./run-commands.ts";
import { addSchedule } from "./schedule-command.ts";
import { addServe } from "./serve-command.ts";
import { addDoctor, addInit, addTrust } from "./setup-commands.ts";
import { addDelete, addList, addPrune, addShow } from "./storage-commands.ts";
import { addWorker } from "./worker-command.ts";

/** Commands that the help shows below one heading. */
interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly AddCommand[];
}

/** All commands, in the order of the help. */
export const commandGroups: readonly CommandGroup[] = [
  { heading: "Begin:", commands: [addInit, addDoctor, addTrust, addModel, addCompletion] },
  {
    heading: "Plans:",
    commands: [addPlan, addEdit, addSave, addValidate, addGraph, addConvert, addDiff, addOptimize, addBench],
  },
  { heading: "Runs:", commands: [addRun, addLoop, addChat, addResume, addCancel, addReplay, addFork, addReplan] },
  { heading: "Answers and signals:", commands: [addApprove, addDeny, addSignal] },
  { heading: "Schedules:", commands: [addSchedule, addScheduler] },
  {
    heading: "Saved plans and recorded runs:",
    commands: [addList, addShow, addOpen, addDelete, addPrune, addJournal, addMemory],
  },
  { heading: "Servers, agents, workers:", commands: [addServe, addMcp, addA2a, addWorker, addDevCluster] },
];

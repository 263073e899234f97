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

/** All commands, in the order of the help. */
export const commands: readonly AddCommand[] = [
  addInit,
  addPlan,
  addRun,
  addEdit,
  addSave,
  addLoop,
  addChat,
  addResume,
  addScheduler,
  addSchedule,
  addApprove,
  addDeny,
  addSignal,
  addCancel,
  addReplay,
  addFork,
  addValidate,
  addOptimize,
  addBench,
  addGraph,
  addConvert,
  addList,
  addShow,
  addDelete,
  addPrune,
  addJournal,
  addMemory,
  addDiff,
  addReplan,
  addTrust,
  addServe,
  addOpen,
  addWorker,
  addDevCluster,
  addMcp,
  addA2a,
  addModel,
  addDoctor,
  addCompletion,
];

import type { Variations } from "./variation.ts";

/** Other inputs for the adapters of the Agents Planning System, by feature. What is expected follows from that system's documents. */
export const agentGrid: Variations = {
  "optimizer.inputs": [
    { input: {}, expected: { llm: "generate_subgraphs(TaskData)", manual: "generate_subgraphs(list of tasks)" } },
  ],
  "controller.http": [
    { input: { missing: "phase_1_data" }, expected: { status: 400, success: false } },
    { input: { processing: "timed out" }, expected: { status: 500, success: false, taskStatus: "failed" } },
    { input: {}, expected: { status: 200, success: true, taskStatus: "complete" } },
  ],
  "controller.history": [
    { input: { n_history_samples: 1 }, expected: { llmInput: { history: ["<context>"], task: "<task data>" } } },
    {
      input: { n_history_samples: 4 },
      expected: { llmInput: { history: ["<1>", "<2>", "<3>", "<4>"], task: "<task data>" } },
    },
  ],
  "controller.feedback": [
    { input: { stage2SelectsNothing: false }, expected: { stage1Rerun: false, inputAdapted: false } },
  ],
  "controller.model": [
    {
      input: { task: "Sort the mail" },
      expected: { messages: ["system: template", "user: Sort the mail"], output: "first choice text, parsed as JSON" },
    },
  ],
  "dag.validate": [
    {
      input: {
        tasks: [
          { task_id: "x", execution_type: "tool_call", dependencies: [] },
          { task_id: "y", execution_type: "llm_call", dependencies: ["x"] },
        ],
      },
      expected: { ok: true },
    },
    {
      input: { tasks: [{ task_id: "x", execution_type: "teleport_call", dependencies: [] }] },
      expected: { error: "teleport_call" },
    },
    {
      input: {
        tasks: [
          { task_id: "x", dependencies: ["y"] },
          { task_id: "y", dependencies: ["z"] },
          { task_id: "z", dependencies: ["x"] },
        ],
      },
      expected: { error: "ValueError: cycle" },
    },
  ],
  "dag.next": [
    {
      input: {
        tasks: [
          { task_id: "p", dependencies: [] },
          { task_id: "q", dependencies: [] },
        ],
        completed: [],
      },
      expected: { next: "p" },
    },
    {
      input: {
        tasks: [
          { task_id: "p", dependencies: ["q"] },
          { task_id: "q", dependencies: [] },
        ],
        completed: [],
      },
      expected: { next: "q" },
    },
  ],
  "dag.execute": [
    {
      input: {
        failing: "m",
        tasks: [
          { task_id: "k", dependencies: [] },
          { task_id: "m", dependencies: ["k"] },
          { task_id: "n", dependencies: ["m"] },
        ],
      },
      expected: { k: "completed", m: "failed", nRun: false, root: "failed" },
    },
    {
      input: {
        tasks: [
          { task_id: "k", dependencies: [] },
          { task_id: "m", dependencies: ["k"] },
        ],
      },
      expected: { k: "completed", m: "completed", mRun: true },
    },
    { input: { type: "l2_call" }, expected: { executed: true, nested: true } },
    { input: { type: "agent_call" }, expected: { executed: true } },
    { input: { type: "codegen_call" }, expected: { executed: true } },
  ],
  "dag.pool": [
    { input: { max_processes: 2, independent: 5 }, expected: { documentedConcurrency: 2, actualConcurrency: 2 } },
  ],
  "l2.route": [
    {
      input: { sub_type: "dsl", stage2: { uid: "w9", input_data: { q: 2 }, plan: "because" } },
      expected: {
        planner: "DSLPlanner",
        backendCall: "known_dsls.execute(uid, input_data, output_module)",
        result: { output: "<backend result>", plan: "because" },
      },
    },
    {
      input: { sub_type: "agent", stage2: { uid: "agent.x:1-a", input_data: { q: 2 } } },
      expected: { planner: "AgentsPlanner", backendCall: "P2PManager.send_recv(uid, input_data)" },
    },
  ],
  "replan.apply": [
    {
      input: {
        before: {
          task_id: "T1",
          description: "d",
          execution_type: "tool_call",
          parameters: { a: 1 },
          mark_replan: true,
        },
        plannerReturns: {
          task_id: "T2",
          description: "d2",
          execution_type: "agent",
          parameters: { sub_type: "agent" },
        },
      },
      expected: {
        after: {
          task_id: "T2",
          main_task_id: "T1",
          description: "d2",
          execution_type: "agent",
          parameters: { sub_type: "agent" },
        },
      },
    },
    {
      input: { tasks: [{ task_id: "A" }, { task_id: "B" }, { task_id: "C" }], marked: ["A", "C"] },
      expected: { plannerCalled: true, sentToPlanner: ["A", "C"], unchanged: ["B"] },
    },
  ],
  "replan.dependants": [
    {
      input: {
        tasks: [
          { task_id: "B", mark_replan: true },
          { task_id: "C", dependencies: ["B"] },
          { task_id: "D", dependencies: ["B", "C"] },
        ],
        newIdForB: "X7",
      },
      expected: { "C.dependencies": ["X7"], "D.dependencies": ["X7", "C"] },
    },
  ],
  "replan.prompt": [
    {
      input: { custom_append_text: "Prefer local tools." },
      expected: { promptIncludes: ["Prefer local tools.", "marked tasks"] },
    },
  ],
  "task.serialize": [
    {
      input: { mark_replan: false, status: "running", dependencies: ["q"] },
      expected: { roundTripKeeps: ["mark_replan", "status", "dependencies"] },
    },
  ],
  "stage1.request": [
    {
      input: { prompt: "Q2", llm_data: { model: "z", temperature: 0.7, top_p: 0.3 } },
      expected: {
        method: "POST",
        path: "/process-phase-1-task",
        body: { phase_1_data: { task_input_data: "Q2", llm_data: { model: "z", temperature: 0.7, top_p: 0.3 } } },
      },
    },
  ],
  "stage1.response": [
    {
      input: { success: true, data: { tasks: [{ task_id: "k", execution_type: "tool_call", dependencies: ["j"] }] } },
      expected: { tasks: [{ task_id: "k", status: "pending", dependencies: ["j"] }] },
    },
  ],
  "stage2.response": [{ input: { success: false, message: "nothing fits" }, expected: { error: "nothing fits" } }],
  "l2.execute": [{ input: { execution_type: "agent_call" }, expected: { executed: false } }],
  "agent.reply": [{ input: { success: true, data: "text" }, expected: { output: "text" } }],
  "searchable.agent": [{ input: {}, expected: { fieldsInclude: ["id", "name", "type"] } }],
};

/** Whether a call, by its id, is the task's own (`pay`, `pay#begun`) or one within the task (`pay[2]`, `pay/step`). */
export const isAboutTask = (callId: string, taskId: string): boolean =>
  callId === taskId || ["#", "/", "["].some((mark) => callId.startsWith(taskId + mark));

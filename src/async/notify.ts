/**
 * Calls a listener. A listener that throws must not make a call fail: the error becomes a process warning, as Node
 * does.
 */
export function notify(call: () => void): void {
  try {
    call();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

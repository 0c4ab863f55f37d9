/** Tells somebody who listens. One that fails is no reason for a call to fail: it is warned of, as Node warns. */
export function notify(tell: () => void): void {
  try {
    tell();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
}

/** Whether a source can serve calls now. One record for all tools of the source, which changes it. */
export interface Readiness {
  /** Its connection was lost, and it has not been read since. Its tools stay listed; calls get `unavailable`. */
  isDropped: boolean;
}

/** For tools that do not depend on a connection. */
export const alwaysReady: Readonly<Readiness> = { isDropped: false };

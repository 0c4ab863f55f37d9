/** What was thrown, for the log. */
export interface Thrown {
  readonly type?: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Thrown;
}

const maxCauses = 5;

/**
 * What was thrown, which may be anything, as text. Its other fields stay out: tools throw their arguments, and HTTP
 * clients put whole requests on their errors, keys included.
 */
export function describeThrown(thrown: unknown, causes = 0): Thrown {
  if (thrown === null || (typeof thrown !== "object" && typeof thrown !== "function"))
    return { message: String(thrown) };
  try {
    const { name, message, stack, cause } = thrown as Partial<Record<keyof Error, unknown>>;
    return {
      ...(typeof name === "string" && { type: name }),
      message: typeof message === "string" ? message : "something was thrown that is not an error",
      ...(typeof stack === "string" && { stack }),
      ...(cause !== undefined && causes < maxCauses && { cause: describeThrown(cause, causes + 1) }),
    };
  } catch {
    return { message: "something was thrown that cannot be read" };
  }
}

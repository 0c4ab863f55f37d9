import type { Issue } from "../schema/issues.ts";

export type Action = "fix_arguments" | "retry" | "retry_later" | "check_before_retry" | "stop";

interface CodeRow {
  /** The HTTP status: 200 if the call was understood and its outcome is an error. */
  readonly status: number;
  /** The HTTP status if the request made no call, such as one for a declaration. Absent if it is `status`. */
  readonly asRequest?: number;
  /** Whether the identical call may be sent again. `safe`: if the tool is idempotent or readOnly. */
  readonly retryable: boolean | "safe";
  /** What the model should do. With `safe`, it is `retry` if the call may be repeated. */
  readonly action: Action;
  /** Whether the tool may have had its effect. Absent if it ran to its end. */
  readonly ran?: "no" | "unknown";
}

/**
 * Every code that Toolhost answers with. Codes are never renamed or reused; docs/errors.md has a paragraph for each.
 */
export const errorCodes = {
  // A call that was understood: HTTP 200 with an outcome.
  invalid_arguments: { status: 200, asRequest: 400, retryable: false, action: "fix_arguments", ran: "no" },
  timeout: { status: 200, asRequest: 400, retryable: "safe", action: "check_before_retry", ran: "unknown" },
  tool_failed: { status: 200, asRequest: 400, retryable: false, action: "stop" },
  upstream_failed: { status: 200, asRequest: 400, retryable: "safe", action: "check_before_retry", ran: "unknown" },
  invalid_result: { status: 200, asRequest: 400, retryable: false, action: "stop" },
  result_too_large: { status: 200, asRequest: 400, retryable: false, action: "fix_arguments" },
  egress_blocked: { status: 200, asRequest: 400, retryable: false, action: "stop" },
  unavailable: { status: 200, asRequest: 404, retryable: true, action: "retry_later", ran: "no" },
  busy: { status: 200, asRequest: 400, retryable: true, action: "retry_later", ran: "no" },
  cancelled: { status: 200, asRequest: 400, retryable: false, action: "check_before_retry", ran: "unknown" },
  declaration_changed: { status: 200, asRequest: 400, retryable: false, action: "fix_arguments", ran: "no" },

  // A request that never became a call.
  bad_request: { status: 400, retryable: false, action: "fix_arguments", ran: "no" },
  unauthorized: { status: 401, retryable: false, action: "stop", ran: "no" },
  forbidden: { status: 403, retryable: false, action: "stop", ran: "no" },
  unknown_tool: { status: 404, retryable: false, action: "fix_arguments", ran: "no" },
  not_found: { status: 404, retryable: false, action: "stop", ran: "no" },
  method_not_allowed: { status: 405, retryable: false, action: "stop", ran: "no" },
  request_timeout: { status: 408, retryable: true, action: "retry", ran: "no" },
  body_too_large: { status: 413, retryable: false, action: "fix_arguments", ran: "no" },
  unsupported_media_type: { status: 415, retryable: false, action: "stop", ran: "no" },
  headers_too_large: { status: 431, retryable: false, action: "stop", ran: "no" },
  rate_limited: { status: 429, retryable: true, action: "retry_later", ran: "no" },
  internal: { status: 500, retryable: false, action: "stop", ran: "unknown" },
  overloaded: { status: 503, retryable: true, action: "retry_later", ran: "no" },
  shutting_down: { status: 503, retryable: true, action: "retry_later", ran: "no" },
} as const satisfies Record<string, CodeRow>;

export type ErrorCode = keyof typeof errorCodes;

/** The HTTP status of a request that made no call. */
export function requestStatus(code: ErrorCode): number {
  const row: CodeRow = errorCodes[code];
  return row.asRequest ?? row.status;
}

/** The `error` object of every failed answer. */
export interface ErrorBody {
  readonly code: ErrorCode;
  /** Written for a model: what is wrong and what to do. */
  readonly message: string;
  readonly action: Action;
  /** The identical call may be sent again. */
  readonly retryable: boolean;
  /** Whether the tool may have had its effect; absent if it ran to its end. */
  readonly ran?: "no" | "unknown";
  /** At most 20. */
  readonly issues?: readonly Issue[];
  /** The tool name that was probably meant. */
  readonly suggestion?: string;
  readonly details?: unknown;
  readonly retryAfterMs?: number;
  /** How the service behind the tool answered. */
  readonly upstream?: { readonly status?: number };
}

export type ErrorExtras = Partial<Omit<ErrorBody, "code" | "message">>;

/** A failure of Toolhost with one of its codes. `cause` is for the log and never leaves the process. */
export class CallError extends Error {
  override readonly name = "CallError";
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.extras = extras;
  }
}

/**
 * Thrown by a tool to choose what the model reads: `tool_failed` with this message.
 * Tools that import nothing may throw any error with `name: "ToolError"` and these fields.
 * @example
 * ```ts
 * import { ToolError } from "toolhost";
 *
 * throw new ToolError("There is no order 17. Ask for the number on the receipt.", { retryable: false });
 * ```
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
  /** The identical call may succeed. @default false */
  readonly retryable: boolean;
  /** JSON that helps the model or its client. */
  readonly details?: unknown;

  constructor(message: string, options: { retryable?: boolean; details?: unknown; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
    if (options.details !== undefined) this.details = options.details;
  }
}

/**
 * Thrown by a tool whose API answered with an error or not at all: `upstream_failed` with this message.
 * `context.fetch` throws it for network faults. Any error with `name: "UpstreamError"` and these fields counts.
 * @example
 * ```ts
 * import { UpstreamError } from "toolhost";
 *
 * throw new UpstreamError("The weather service is down.", { status: 503, retryAfterMs: 2000 });
 * ```
 */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  /** The HTTP status of the API's answer; absent if there was no answer. */
  readonly status?: number;
  /** How long the API asked to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** `"no"` if the API certainly did nothing, such as after a refused connection. @default "unknown" */
  readonly ran?: "no" | "unknown";
  /** JSON that helps the model or its client, such as the API's message about the arguments. */
  readonly details?: unknown;

  constructor(
    message: string,
    options: {
      status?: number;
      retryAfterMs?: number;
      ran?: "no" | "unknown";
      details?: unknown;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    if (options.status !== undefined) this.status = options.status;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.ran !== undefined) this.ran = options.ran;
    if (options.details !== undefined) this.details = options.details;
  }
}

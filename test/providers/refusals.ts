/** The body of a refusal in a provider's own shape. Source: the types of errors in the official SDKs, and public reports. */
export type RefusalBody = (status: number, message: string, path: string) => unknown;

export const openaiRefusal: RefusalBody = (status, message, param) => {
  const [type, code] =
    status === 429
      ? ["requests", "rate_limit_exceeded"]
      : status >= 500
        ? ["server_error", null]
        : ["invalid_request_error", null];
  return { error: { message, type, param, code } };
};

const anthropicTypes: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

export const anthropicRefusal: RefusalBody = (status, message) => {
  const type = anthropicTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  return { type: "error", error: { type, message }, request_id: "req_recorded" };
};

const geminiStatuses: Readonly<Record<number, string>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

export const geminiRefusal: RefusalBody = (code, message) => ({
  error: { code, message, status: geminiStatuses[code] ?? "INVALID_ARGUMENT" },
});

export const ollamaRefusal: RefusalBody = (_status, message) => ({ error: message });

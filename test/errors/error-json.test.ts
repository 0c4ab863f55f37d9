import { describe, expect, it } from "vitest";
import { readError } from "../../src/errors/error-json.ts";
import { CallError } from "../../src/errors/errors.ts";
import { toErrorBody } from "../../src/errors/failure.ts";
import { fromFailure, isFailure, toFailure } from "../../src/isolation/thread-failure.ts";

const issue = { path: "/unit", message: "must be one of a, b", keyword: "enum", expected: ["a", "b"], suggestion: "a" };
const full = new CallError("invalid_arguments", "Not so.", {
  action: "fix_arguments",
  retryable: false,
  ran: "no",
  issues: [issue],
  suggestion: "get_weather",
  details: { at: [1] },
  retryAfterMs: 5,
  upstream: { status: 503 },
});

describe("an error that came from elsewhere", () => {
  it("has every field of the error object, suggestions included, over JSON and from a thread", () => {
    const body: unknown = JSON.parse(JSON.stringify(toErrorBody(full)));
    expect(readError(body)).toEqual(full);
    const failure: unknown = structuredClone(toFailure(full));
    expect(isFailure(failure)).toBe(true);
    expect(fromFailure(failure as ReturnType<typeof toFailure>)).toEqual(full);
  });

  it.each([
    ["action", "do_harm"],
    ["retryable", "yes"],
    ["ran", "twice"],
    ["issues", "none"],
    ["issues", [{ path: 1 }, null, "x"]],
    ["suggestion", ["a"]],
    ["retryAfterMs", "5"],
    ["upstream", { status: "503" }],
    ["upstream", null],
    ["unknown", 1],
  ])("loses the field %s if it is %j", (name, value) => {
    const error = readError({ code: "timeout", message: "Late.", [name]: value });
    expect(error?.extras).toEqual(name === "issues" ? (Array.isArray(value) ? { issues: [] } : {}) : {});
  });

  it.each([
    [undefined],
    [null],
    ["timeout"],
    [[]],
    [{}],
    [{ code: "timeout" }],
    [{ code: "no_such_code", message: "x" }],
    [{ code: "toString", message: "x" }],
    [{ code: 1, message: "x" }],
    [{ code: "timeout", message: 1 }],
  ])("is not one if it is %j", (value) => {
    expect(readError(value)).toBeUndefined();
  });

  it("keeps at most 20 issues", () => {
    const issues = Array.from({ length: 50 }, () => issue);
    expect(readError({ code: "invalid_arguments", message: "x", issues })?.extras.issues).toHaveLength(20);
  });
});

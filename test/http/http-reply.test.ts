import { expect, it } from "vitest";
import { CallError, type ErrorCode, errorCodes } from "../../src/errors/errors.ts";
import { errorReply } from "../../src/http/http-reply.ts";

const codes = Object.keys(errorCodes) as ErrorCode[];

it.each(codes.filter((code) => errorCodes[code].status !== 200))(
  "a request that is refused as %s has the status of the code",
  (code) => {
    expect(errorReply(new CallError(code, "x")).status).toBe(errorCodes[code].status);
  },
);

it.each(codes.filter((code) => errorCodes[code].status === 200))(
  "a request that made no call and fails as %s is never answered 200",
  (code) => {
    const { status, headers } = errorReply(new CallError(code, "x"));
    expect(status).toBe(code === "unavailable" ? 404 : 400);
    expect(headers["toolhost-outcome"]).toBe(code);
  },
);

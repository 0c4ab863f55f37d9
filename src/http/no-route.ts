import { CallError } from "../errors/errors.ts";
import { errorReply } from "./http-reply.ts";
import type { Endpoint } from "./route.ts";
import type { RoutedPath } from "./route-table.ts";

/** The error for a path that does not exist, or does not exist for this caller. @param cause for the log */
export function notFound(cause?: Error): CallError {
  return new CallError("not_found", "There is nothing at this path. See /openapi.json for the routes.", {}, cause);
}

/** Answers requests to paths that no route is for. */
export const noRoute: Endpoint = {
  isFor: "callers",
  handle() {
    throw notFound();
  },
};

/** Answers OPTIONS. @param path absent if the service as a whole is asked about */
export function optionsOf(allow: string, path?: string): Endpoint {
  const handle: Endpoint["handle"] = () => ({ status: 204, headers: { allow }, body: null });
  return path === undefined ? { isFor: "anyone", handle } : { isFor: "anyone", path, handle };
}

/** Answers methods that a path does not take. */
export function methodRefused({ path, routes: [first], allow, isFor }: RoutedPath): Endpoint {
  const { errorReply: write = errorReply } = first;
  return {
    isFor,
    path,
    errorReply: write,
    handle() {
      const reply = write(new CallError("method_not_allowed", `This path accepts ${allow}.`));
      reply.headers["allow"] = allow;
      return reply;
    },
  };
}

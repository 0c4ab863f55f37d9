import { CallError } from "../errors/errors.ts";
import { errorReply } from "./http-reply.ts";
import type { Endpoint } from "./route.ts";
import type { RoutedPath, RouteTable } from "./route-table.ts";

/** The error for a path that does not exist, or does not exist for this caller. @param cause for the log */
export function notFound(cause?: Error): CallError {
  return new CallError("not_found", "There is nothing at this path. See /openapi.json for the routes.", {}, cause);
}

/** Answers requests to paths without a route. */
export const noRoute: Endpoint = {
  isFor: "callers",
  handle({ path }) {
    if (!/.\/$/.test(path) || path.length > 200) throw notFound();
    throw new CallError(
      "not_found",
      `There is nothing at this path. Paths do not end with a slash: try ${path.slice(0, -1)}, or see /openapi.json for the routes.`,
    );
  },
};

/** Answers OPTIONS. @param path absent if the request concerns the whole service */
export function optionsOf(allow: string, path?: string): Endpoint {
  const handle: Endpoint["handle"] = () => ({ status: 204, headers: { allow }, body: null });
  return path === undefined ? { isFor: "anyone", handle } : { isFor: "anyone", path, handle };
}

/** Answers methods that a path does not accept. */
export function methodRefused({ path, routes: [first], allow, isFor }: RoutedPath, table: RouteTable): Endpoint {
  const { errorReply: write = errorReply } = first;
  return {
    isFor,
    path,
    errorReply: write,
    handle({ method, path: asked }) {
      const longer = longerPath(table, path, method);
      const hint = longer === undefined || asked.length > 200 ? "" : ` Did you mean ${method} ${asked}${longer}?`;
      const reply = write(new CallError("method_not_allowed", `This path accepts ${allow}.${hint}`));
      reply.headers["allow"] = allow;
      return reply;
    },
  };
}

/** The missing end of a path that would accept the method, such as `/invoke` after `/tools/x`. */
function longerPath({ paths }: RouteTable, path: string, method: string): string | undefined {
  const prefix = withoutNames(path);
  for (const { routes } of paths) {
    const route = routes.find((each) => each.method === method && each.isFor === "callers");
    const rest = route === undefined ? "" : withoutNames(route.path);
    if (rest.startsWith(`${prefix}/`) && /^\/[\w.~-]+$/.test(rest.slice(prefix.length)))
      return rest.slice(prefix.length);
  }
  return undefined;
}

/** Patterns that differ only in the names of parameters match the same paths. */
function withoutNames(path: string): string {
  return path.replaceAll(/:\w+/g, ":");
}

import type { Audience, Method, Route } from "./route.ts";

/** The routes of one path. */
export interface RoutedPath {
  readonly path: string;
  readonly routes: readonly [Route, ...Route[]];
  /** The methods that the path accepts, as in the header `Allow`. */
  readonly allow: string;
  /** The audience that gets the answer 405: the audience of the path's first route. */
  readonly isFor: Audience;
}

export interface RouteTable {
  /** The most exact patterns first. */
  readonly paths: readonly RoutedPath[];
  /** The methods that any path accepts. */
  readonly allow: string;
  /** The headers that pages of allowed origins may send to some route, and read in its answers. */
  readonly requestHeaders: readonly string[];
  readonly responseHeaders: readonly string[];
}

const methodOrder = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const segmentPattern = /^(?:[\w.~-]+|:[a-zA-Z]\w*)$/;

/** @throws Error for a malformed path, and for two routes of one method and path */
export function createRouteTable(routes: readonly Route[]): RouteTable {
  const byShape = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    checkPath(route.path);
    const shape = shapeOf(route.path);
    const others = byShape.get(shape);
    const twin = others?.find(({ method }) => method === route.method);
    if (twin !== undefined) {
      throw new Error(`There are two routes for ${route.method} ${route.path}: the other is ${twin.path}.`);
    }
    if (others === undefined) byShape.set(shape, [route]);
    else others.push(route);
  }
  const shapes = [...byShape.keys()].sort(compareShapes);
  return {
    paths: shapes.map((shape) => {
      const own = byShape.get(shape)!;
      const [{ path, isFor }] = own;
      return { path, routes: own, allow: allowOf(own.map(({ method }) => method)), isFor };
    }),
    allow: allowOf(routes.map(({ method }) => method)),
    requestHeaders: routes.flatMap(({ requestHeaders = [] }) => requestHeaders),
    responseHeaders: routes.flatMap(({ responseHeaders = [] }) => responseHeaders),
  };
}

function checkPath(path: string): void {
  const segments = path.slice(1).split("/");
  const isPrefix = segments.at(-1) === "*";
  const named = isPrefix ? segments.slice(0, -1) : segments;
  const isRoot = path === "/" || path === "/*";
  if (path.startsWith("/") && (isRoot || named.every((segment) => segmentPattern.test(segment)))) return;
  throw new Error(`${JSON.stringify(path)} is not the path of a route: write it as /jobs, /jobs/:id or /docs/*.`);
}

/** Equal for patterns that match the same paths, whatever the names of their parameters. */
function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ":");
}

/** A literal segment precedes a parameter, and a parameter precedes the rest of a path. */
function compareShapes(left: string, right: string): number {
  const [ours, theirs] = [left.split("/"), right.split("/")];
  const length = Math.min(ours.length, theirs.length);
  for (let index = 0; index < length; index++) {
    const difference = rankOf(ours[index]!) - rankOf(theirs[index]!);
    if (difference !== 0) return difference;
  }
  return theirs.length - ours.length;
}

function rankOf(segment: string): number {
  return segment === "*" ? 2 : segment === ":" ? 1 : 0;
}

function allowOf(methods: readonly Method[]): string {
  const taken = new Set<string>([...methods, "OPTIONS"]);
  if (taken.has("GET")) taken.add("HEAD");
  return methodOrder.filter((method) => taken.has(method)).join(", ");
}

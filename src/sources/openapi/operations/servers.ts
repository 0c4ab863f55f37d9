import { isJsonObject, type JsonObject } from "../../../json/object.ts";
import { parseUrl } from "../../../net/parse-url.ts";

/** The document's first server with its variables filled in: absolute, or relative to the document; undefined if none. */
export function documentServer(root: JsonObject, variables: Readonly<Record<string, string>>): string | undefined {
  if (typeof root["swagger"] !== "string") return firstServer(root["servers"], variables);
  const { host, schemes, basePath } = root;
  const path = typeof basePath === "string" ? basePath : "";
  if (typeof host !== "string" || host === "") return path === "" ? undefined : path;
  const offered: readonly unknown[] = Array.isArray(schemes) ? schemes : [];
  return `${offered.includes("https") || offered.length === 0 ? "https" : "http"}://${host}${path}`;
}

/** The first of a list of servers, with the defaults of its variables or the operator's values. */
export function firstServer(servers: unknown, values: Readonly<Record<string, string>>): string | undefined {
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isJsonObject(server) || typeof server["url"] !== "string") return undefined;
  const variables = isJsonObject(server["variables"]) ? server["variables"] : {};
  return server["url"].replace(/\{([^{}]+)\}/g, (written, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    const given = Object.hasOwn(values, name) ? values[name] : undefined;
    return given ?? (isJsonObject(variable) ? String(variable["default"]) : written);
  });
}

/** The path of a server on the base's origin; undefined if it is on another. */
export function pathOnOrigin(server: string, base: string | undefined): string | undefined {
  if (server.startsWith("/") && !server.startsWith("//")) return server;
  const url = parseUrl(server, base);
  return url !== undefined && url.origin === parseUrl(base ?? "")?.origin ? url.pathname : undefined;
}

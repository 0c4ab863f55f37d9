import { getOwn, isJsonObject, type JsonObject } from "../../../json/object.ts";
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

/**
 * The first of a list of servers, with the operator's values of its variables or their defaults.
 * @returns undefined if there is none, or a variable has no value
 */
export function firstServer(servers: unknown, values: Readonly<Record<string, string>>): string | undefined {
  const server = readServer(servers);
  let isWhole = true;
  const url = server?.url.replace(variablePattern, (_, name: string) => {
    const value = (Object.hasOwn(values, name) ? values[name] : undefined) ?? server.defaultOf(name);
    isWhole &&= value !== undefined;
    return value ?? "";
  });
  return isWhole ? url : undefined;
}

/** Whether a list of servers has one, with values or without. */
export function hasServer(servers: unknown): boolean {
  return readServer(servers) !== undefined;
}

/** What is wrong with the variables of the document's server, for its operator. */
export function serverWarnings(root: JsonObject, values: Readonly<Record<string, string>>): string[] {
  const server = readServer(root["servers"]);
  const used = [...(server?.url ?? "").matchAll(variablePattern)].map(([, name = ""]) => name);
  const unset = used.filter((name) => !Object.hasOwn(values, name) && server?.defaultOf(name) === undefined);
  const unknown = Object.keys(values).filter((name) => !used.includes(name));
  const unlisted = used.filter((name) => Object.hasOwn(values, name) && server?.allows(name, values[name]) === false);
  return [
    ...unset.map((name) => `the variable "${name}" of the document's server has no value; set it in "serverVariables"`),
    ...unknown.map(
      (name) => `serverVariables.${name} has no effect, because the document's server has no such variable`,
    ),
    ...unlisted.map((name) => `serverVariables.${name} is not one of the values that the document allows`),
  ];
}

const variablePattern = /\{([^{}]+)\}/g;

function readServer(servers: unknown) {
  const server: unknown = Array.isArray(servers) ? servers[0] : undefined;
  if (!isJsonObject(server) || typeof server["url"] !== "string") return undefined;
  const variableOf = (name: string): JsonObject => {
    const variable = isJsonObject(server["variables"]) ? getOwn(server["variables"], name) : undefined;
    return isJsonObject(variable) ? variable : {};
  };
  return {
    url: server["url"],
    defaultOf(name: string): string | undefined {
      const value = variableOf(name)["default"];
      return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined;
    },
    allows(name: string, value: string | undefined): boolean {
      const { enum: values } = variableOf(name);
      return !Array.isArray(values) || values.map(String).includes(String(value));
    },
  };
}

/** The path of a server on the base's origin; undefined if it is on another. */
export function pathOnOrigin(server: string, base: string | undefined): string | undefined {
  if (server.startsWith("/") && !server.startsWith("//")) return server;
  const url = parseUrl(server, base);
  return url !== undefined && url.origin === parseUrl(base ?? "")?.origin ? url.pathname : undefined;
}

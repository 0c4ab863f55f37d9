import { isJsonObject, type JsonObject } from "../../json/object.ts";
import { parseUrl } from "../../net/parse-url.ts";
import type { ToolWarning } from "../../core/observer.ts";
import type { ToolAnnotations } from "../../tool/tool.ts";
import { checkOperations } from "./check-operations.ts";
import { readBody, readSwaggerBody } from "./declaration/body.ts";
import { declareOperation } from "./declaration/declare-operation.ts";
import { createDefinitions, type Definition, type Definitions } from "./declaration/definitions.ts";
import { isMediaType } from "./declaration/media-type.ts";
import { readParameters } from "./declaration/parameters.ts";
import { readResponse } from "./declaration/response.ts";
import { bundleFiles, type LocalFiles } from "./document/bundle.ts";
import { createFindSchema } from "./document/find-schema.ts";
import { createResolve, type Resolve } from "./document/resolve.ts";
import { documentBounds, DocumentRefused, type OpenApiText, readText } from "./document/read-text.ts";
import { annotationsOf, describeOperation, tagsOf } from "./operations/description.ts";
import { describeDangling, describeNone, documentWarnings } from "./operations/document-warnings.ts";
import { createFilter, type Filter } from "./operations/filter.ts";
import { documentServer, firstServer, hasServer, pathOnOrigin, serverWarnings } from "./operations/servers.ts";
import { toolNames } from "../tool-names.ts";
import { operationName } from "./operations/operation-name.ts";
import type { RequestPlan } from "../request/plan.ts";
import { isTaken, noNames, type TakenNames } from "../request/taken-names.ts";

export interface OpenApiOptions extends Filter {
  /** The source's name: the prefix of the tool names. */
  readonly name: string;
  /** The operator's base. @default the document's first server */
  readonly baseUrl?: string;
  /** Where the document came from, if it has a URL: a relative server is relative to it. */
  readonly documentUrl?: string;
  readonly serverVariables?: Readonly<Record<string, string>>;
  /** Names of a request that are not the model's: parameters with them are not arguments. @default none */
  readonly taken?: TakenNames;
}

/** One operation as a tool: plain JSON. `assembleSchema` adds the definitions to its schemas. */
export interface OpenApiOperation {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly annotations: ToolAnnotations;
  readonly method: string;
  /** As the document writes it: `/pets/{id}`. */
  readonly path: string;
  /** The line of the operation in the document. */
  readonly line: number;
  readonly plan: RequestPlan;
  /** Its results are files: content blocks. @default false */
  readonly isFile?: boolean;
  readonly parameters: SchemaText;
  /** @default any JSON value */
  readonly response?: SchemaText;
}

/** A schema as JSON text, and the definitions that it refers to. */
export type SchemaText = Definition;

export interface SkippedOperation {
  /** Such as `GET /pets/{id}`. */
  readonly operation: string;
  readonly reason: string;
  /** The line of the operation in the document. */
  readonly line: number;
}

export interface ReadOpenApi {
  /** Absolute, unless neither the operator nor the document contains the URL of the API. */
  readonly baseUrl?: string;
  readonly operations: readonly OpenApiOperation[];
  readonly requestDefinitions: Readonly<Record<string, Definition>>;
  readonly responseDefinitions: Readonly<Record<string, Definition>>;
  readonly skipped: readonly SkippedOperation[];
  /** The parts of its operations that were left out. */
  readonly warnings: readonly ToolWarning[];
}

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

interface Reading {
  readonly root: JsonObject;
  readonly isSwagger: boolean;
  readonly resolve: Resolve;
  readonly requests: Definitions;
  readonly responses: Definitions;
  readonly base: string | undefined;
  readonly variables: Readonly<Record<string, string>>;
  readonly taken: TakenNames;
  /** Warnings of references that lead nowhere, since the last operation. */
  readonly dangling: string[];
  /** URIs of dialects of JSON Schema that the document names. */
  readonly dialects: ReadonlySet<string>;
}

/**
 * Reads an OpenAPI 3.x or Swagger 2.0 document into tools. Its result is plain JSON: it may be made in a worker.
 * @param files those beside a document in a file. Without them, references to other files lead nowhere
 * @throws DocumentRefused if the text is not such a document
 */
export function readOpenApi(text: string, options: OpenApiOptions, files?: LocalFiles): ReadOpenApi {
  const document = readText(text);
  if (files !== undefined && /\$ref["']?\s*:\s*["']?[^"'#\s]/.test(text)) bundleFiles(document.root, files);
  const reading = startReading(document.root, options);
  const isWanted = createFilter(options);
  const all = [...listOperations(document.root, reading.resolve)];
  const found = all.filter(({ method, path, operation }) => isWanted(idOf(operation), method, path));
  if (found.length > documentBounds.operations) {
    throw new DocumentRefused(
      `the document has over ${documentBounds.operations} operations; choose some with "include"`,
    );
  }
  const ids = new Map<string, number>();
  for (const { operation } of found) {
    const id = idOf(operation);
    if (id !== undefined) ids.set(id, (ids.get(id) ?? 0) + 1);
  }
  const read: {
    readonly original: string;
    readonly tool: Omit<OpenApiOperation, "name">;
    readonly dangling: readonly string[];
  }[] = [];
  const skipped: SkippedOperation[] = [];
  for (const each of found) {
    const id = idOf(each.operation);
    const own = id !== undefined && ids.get(id) === 1 ? id : operationName(each.method, each.path);
    const line = lineOf(document, each);
    const tool = readOperation(each, line, reading);
    const dangling = reading.dangling.splice(0);
    if (typeof tool !== "string") read.push({ original: `${options.name}_${own}`, tool, dangling });
    else skipped.push({ operation: `${each.method} ${each.path}`, reason: tool, line });
  }
  const names = toolNames(read.map(({ original }) => original));
  const unchecked: ReadOpenApi = {
    ...(reading.base !== undefined && { baseUrl: reading.base }),
    operations: read.map(({ tool }, index) => ({ name: names[index] ?? "", ...tool })),
    requestDefinitions: Object.fromEntries(reading.requests.all),
    responseDefinitions: Object.fromEntries(reading.responses.all),
    skipped,
    warnings: [
      ...read.flatMap(({ dangling }, index) => dangling.map((message) => ({ name: names[index] ?? "", message }))),
      ...documentWarnings(options.name, reading),
      ...(options.baseUrl === undefined ? serverWarnings(document.root, reading.variables) : []).map((message) => ({
        name: options.name,
        message,
      })),
      ...(found.length === 0 ? [{ name: options.name, message: describeNone(all.length) }] : []),
    ],
  };
  return checkOperations(unchecked);
}

function startReading(root: JsonObject, options: OpenApiOptions): Reading {
  const isSwagger = root["swagger"] !== undefined;
  const version = String(root[isSwagger ? "swagger" : "openapi"]);
  if (!(isSwagger ? /^2(?:\.|$)/ : /^3\.[0-2](?:\.|$)/).test(version)) {
    throw new DocumentRefused('the document must have the version 3.0, 3.1 or 3.2 in "openapi", or 2.0 in "swagger"');
  }
  const dangling: string[] = [];
  const onDangling = (reference: string, to: string): void => void dangling.push(describeDangling(reference, to));
  const dialects = new Set<string>();
  const onDialect = (uri: string): void => void dialects.add(uri);
  if (typeof root["jsonSchemaDialect"] === "string") onDialect(root["jsonSchemaDialect"]);
  const find = createFindSchema(root);
  const keepsSiblings = !isSwagger && !version.startsWith("3.0");
  const variables = options.serverVariables ?? {};
  const server = options.baseUrl ?? documentServer(root, variables);
  return {
    root,
    isSwagger,
    resolve: createResolve(find),
    requests: createDefinitions(find, { side: "request", keepsSiblings, onDangling, onDialect }),
    responses: createDefinitions(find, { side: "response", keepsSiblings, onDangling, onDialect }),
    base: server === undefined && hasServer(root["servers"]) ? undefined : absolute(server, options.documentUrl),
    variables,
    taken: options.taken ?? noNames,
    dangling,
    dialects,
  };
}

function absolute(server: string | undefined, documentUrl: string | undefined): string | undefined {
  if (documentUrl === undefined) return server;
  return parseUrl(server ?? "/", documentUrl)?.href ?? server;
}

interface FoundOperation {
  /** In upper case. */
  readonly method: string;
  /** Where it is in its path item. */
  readonly keys: readonly string[];
  readonly path: string;
  readonly item: JsonObject;
  readonly operation: JsonObject;
}

function* listOperations(root: JsonObject, resolve: Resolve): Generator<FoundOperation> {
  const paths = isJsonObject(root["paths"]) ? root["paths"] : {};
  for (const [path, given] of Object.entries(paths)) {
    const item = path.startsWith("/") ? resolve(given) : undefined;
    for (const key of item === undefined ? [] : methods) {
      const operation = item?.[key];
      if (item !== undefined && isJsonObject(operation)) {
        yield { method: key.toUpperCase(), keys: [key], path, item, operation };
      }
    }
    // OpenAPI 3.2: https://spec.openapis.org/oas/v3.2.0.html#path-item-object
    const others = item?.["additionalOperations"];
    for (const [method, operation] of Object.entries(isJsonObject(others) ? others : {})) {
      if (item !== undefined && isJsonObject(operation) && /^[A-Za-z-]{1,40}$/.test(method)) {
        yield { method, keys: ["additionalOperations", method], path, item, operation };
      }
    }
  }
}

function idOf({ operationId }: JsonObject): string | undefined {
  return typeof operationId === "string" && operationId !== "" ? operationId : undefined;
}

function lineOf(document: OpenApiText, { path, keys }: FoundOperation): number {
  return document.lineOf(["paths", path, ...keys]);
}

/** @returns the tool, or why the operation is skipped */
function readOperation(found: FoundOperation, line: number, reading: Reading): Omit<OpenApiOperation, "name"> | string {
  const { method, path, item, operation } = found;
  const { root, isSwagger, resolve, requests, responses, base, taken } = reading;
  if (path.includes("{}")) return "its path has a parameter without a name";
  // Fetch does not send it: https://fetch.spec.whatwg.org/#forbidden-method
  if (/^(?:TRACE|CONNECT|TRACK)$/i.test(method)) return `${method} requests are not sent`;
  const servers = operation["servers"] ?? item["servers"];
  const server = firstServer(servers, reading.variables);
  if (server === undefined && hasServer(servers)) return "a variable of its server has no value";
  const basePath = server === undefined ? undefined : pathOnOrigin(server, base);
  if (server !== undefined && basePath === undefined) return "its server has another origin than the base URL";

  const lists = [item["parameters"], operation["parameters"]];
  const consumes = stringsOf(operation["consumes"] ?? root["consumes"]).filter(isMediaType);
  const given = isSwagger ? readSwaggerBody(lists, consumes, resolve) : readBody(operation["requestBody"], resolve);
  // RFC 9110, section 9.3.1: the content of a GET has no meaning, and fetch sends none.
  const body = method === "GET" || method === "HEAD" ? undefined : given;
  const parameters = readParameters(lists, resolve, isSwagger).filter((each) => !isTaken(taken, each.in, each.name));
  const declared = declareOperation({ method, path, parameters, body }, requests, resolve);

  const reaches = new Set<string>();
  const produces = isSwagger ? stringsOf(operation["produces"] ?? root["produces"]) : undefined;
  const { schema, accept, isFile } = readResponse(operation, produces, resolve, responses, reaches);
  const { summary } = operation;
  return {
    ...(typeof summary === "string" && summary !== "" && { title: summary }),
    description: describeOperation(operation, method, path),
    tags: tagsOf(operation),
    annotations: annotationsOf(method),
    method,
    path,
    ...(isFile && { isFile }),
    line,
    plan: {
      ...declared.plan,
      ...(basePath !== undefined && { basePath }),
      ...(accept !== undefined && { accept }),
    },
    parameters: { text: JSON.stringify(declared.parameters), reaches: declared.reaches },
    ...(schema !== undefined && { response: { text: JSON.stringify(schema), reaches: [...reaches] } }),
  };
}

function stringsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((each): each is string => typeof each === "string") : [];
}

import { Hono } from "hono";
import { checkAccessOptions } from "../access/check-options.ts";
import { createStartCall, type StartCall } from "../core/call/start-call.ts";
import { isRegistry, type Registry } from "../core/registry/registry.ts";
import type { SourceStatus } from "../core/source.ts";
import { refuseUnknownOptions } from "../errors/known-options.ts";
import { type Answer, type AnswerObserver, createAnswer } from "./answer.ts";
import type { Door, DoorSettings } from "./door.ts";
import { createFindFrequent, type FindFrequent } from "./frequent-routes.ts";
import type { HeldBytes } from "./body/received-body.ts";
import { createGuard, type GuardOptions } from "./guard/guard.ts";
import type { Refusal } from "./guard/refusal.ts";
import { type Lifecycle, servingLifecycle } from "./lifecycle.ts";
import { mountRoutes } from "./mount-routes.ts";
import { optionsOf } from "./no-route.ts";
import type { Endpoint, Route } from "./route.ts";
import { createRouteTable } from "./route-table.ts";
import type { Calling } from "./routes/calling.ts";
import { createDeclarationRoute } from "./routes/declaration.ts";
import { createHealthRoutes } from "./routes/health.ts";
import { createCallsRoute } from "./routes/invoke-calls.ts";
import { createInvokeRoute } from "./routes/invoke-tool.ts";
import { createMetricsRoute } from "./routes/metrics.ts";
import { createOpenApiRoute } from "./routes/openapi/document.ts";
import { createStatusRoute } from "./routes/status.ts";
import { createToolListRoute } from "./routes/tool-list.ts";

export interface AppOptions extends GuardOptions, AnswerObserver {
  readonly registry: Registry;
  /** The issuer of the tokens that `access` accepts. @default that of `auth.jwt` */
  readonly tokenIssuer?: string | undefined;
  /** Runs the calls. @default createStartCall(registry) */
  readonly startCall?: StartCall;
  /** The request headers that sources forward, in lower case. @default none */
  readonly forwardedHeaders?: ReadonlySet<string>;
  /** The largest body of a call. @default 1048576 */
  readonly maxBodyBytes?: number;
  /** The largest body of a model's reply: `POST /calls?format=…`. @default 16777216 */
  readonly maxReplyBytes?: number;
  /** The most bytes of request bodies in memory at once; further requests are `overloaded`. @default 268435456 */
  readonly maxBytesInFlight?: number;
  /** Counts these bytes for a service that replaces its app while it runs. @default a counter of this app alone */
  readonly bytesInFlight?: HeldBytes;
  /** The sources that `/status` reports. @default those of the registry's tools */
  readonly sources?: () => readonly SourceStatus[];
  /** The text of `/metrics`. @default none: `/metrics` is 404 */
  readonly metrics?: () => string;
  /** Doors whose routes the app has in addition to the service's own, such as `mcpDoor`. @default none */
  readonly doors?: readonly Door[];
  /** The state of the service: serving, leaving or ending. @default serving */
  readonly lifecycle?: Lifecycle;
}

const knownOptions: Record<keyof AppOptions, true> = {
  registry: true,
  apiKeys: true,
  auth: true,
  access: true,
  hosts: true,
  origins: true,
  publicUrl: true,
  tokenIssuer: true,
  startCall: true,
  forwardedHeaders: true,
  maxBodyBytes: true,
  maxReplyBytes: true,
  maxBytesInFlight: true,
  bytesInFlight: true,
  sources: true,
  metrics: true,
  doors: true,
  lifecycle: true,
  onFault: true,
  onRefused: true,
};

/** For Toolhost's own server, which answers some requests without Hono. */
export interface Answering {
  readonly answer: Answer;
  readonly invoke: ReturnType<typeof createInvokeRoute>;
  /** Finds the other routes that are asked often. */
  readonly findFrequent: FindFrequent;
  /** `OPTIONS *`, which asks about the service as a whole. */
  readonly wholeService: Endpoint;
  /** The methods that the service accepts, as in `Allow`. */
  readonly allow: string;
  readonly routes: readonly Route[];
  /** For requests that the server itself refuses. */
  readonly onRefused: ((refusal: Refusal) => void) | undefined;
}

export type App = Hono & { readonly answering: Answering };

/**
 * The service as a Hono app: its own routes and those of other doors. It also runs in memory (`app.request`) and inside
 * another Hono app.
 * @throws Error for an option that is malformed, and for two routes of one method and path
 * @example
 * ```ts
 * import { serve } from "@hono/node-server";
 * import { createApp, createRegistry } from "toolhost";
 *
 * const app = createApp({ registry: createRegistry(), apiKeys: ["a-long-random-key"], hosts: "loopback" });
 * serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 8080 });
 * ```
 */
export function createApp(options: AppOptions): App {
  refuseUnlessRegistry(options);
  refuseUnknownOptions("createApp", knownOptions, options, {
    apiKey: "apiKeys",
    keys: "apiKeys",
    bodyBytes: "maxBodyBytes",
    routes: "doors",
  });
  checkAccessOptions(options);
  const { lifecycle = servingLifecycle, onRefused } = options;
  const calling = callingOf(options);
  const invoke = createInvokeRoute(calling);
  const { publicUrl, onFault, tokenIssuer = options.auth?.jwt?.issuer } = options;
  const settings: DoorSettings = { ...calling, publicUrl, tokenIssuer, onFault };
  const ofDoors = (options.doors ?? []).flatMap((door) => door(settings));
  const routes = [invoke, ...createOwnRoutes(options, calling, lifecycle), ...ofDoors];
  const table = createRouteTable(routes);
  const answer = createAnswer(createGuard(options, table), lifecycle, options);
  const app = new Hono();
  mountRoutes(app, table, answer);
  const { allow } = table;
  return Object.assign(app, {
    answering: {
      answer,
      invoke,
      findFrequent: createFindFrequent(routes),
      wholeService: optionsOf(allow),
      allow,
      routes,
      onRefused,
    },
  });
}

/** The routes of the service itself, except the one that Toolhost's own server handles. */
function createOwnRoutes(options: AppOptions, calling: Calling, lifecycle: Lifecycle): readonly Route[] {
  const { registry, metrics, sources } = options;
  return [
    createCallsRoute(calling),
    createToolListRoute(registry),
    createDeclarationRoute(registry),
    createStatusRoute(registry, sources),
    createOpenApiRoute(registry, options),
    ...(metrics === undefined ? [] : [createMetricsRoute(metrics)]),
    ...createHealthRoutes(lifecycle),
  ];
}

function callingOf(options: AppOptions): Calling {
  const { registry, maxBodyBytes = 1_048_576, maxReplyBytes = 16_777_216 } = options;
  const { bytesInFlight: held = { bytes: 0 }, maxBytesInFlight: maxHeldBytes = 268_435_456 } = options;
  return {
    registry,
    startCall: options.startCall ?? createStartCall(registry),
    forwardedHeaders: options.forwardedHeaders ?? new Set(),
    body: { maxBytes: maxBodyBytes, held, maxHeldBytes },
    reply: { maxBytes: maxReplyBytes, held, maxHeldBytes },
  };
}

function refuseUnlessRegistry(options: unknown): void {
  const registry: unknown =
    typeof options === "object" && options !== null && "registry" in options ? options.registry : undefined;
  if (!isRegistry(registry)) {
    throw new TypeError(
      "createApp takes an object with a registry: createApp({ registry: createRegistry({ tools }) })",
    );
  }
}

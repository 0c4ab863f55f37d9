import * as nodeModule from "node:module";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { createImportChooser, type PackageUrl } from "./import-chooser.ts";

/** The chooser, wherever Node runs it. */
export interface FreshImports {
  takeResolved(): Promise<readonly PackageUrl[]>;
  retry(urls: readonly string[]): Promise<void>;
  assign(urls: readonly string[], version: number): Promise<void>;
}

interface ResolveContext {
  readonly conditions: readonly string[];
  readonly parentURL?: string;
}
interface Resolved {
  readonly url: string;
}
interface SyncHooks {
  resolve(
    specifier: string,
    context: ResolveContext,
    next: (specifier: string, context: ResolveContext) => Resolved,
  ): Resolved;
}

interface Answer {
  readonly id: number;
  readonly found: unknown;
}

let started: Promise<FreshImports> | undefined;
let lastQuestion = 0;
/** By the number of the question. */
const waiting = new Map<number, (found: unknown) => void>();

/**
 * From now on, what a module with a version in its URL imports by relative path gets that version too. Started by the first
 * module that needs it: on Node 20 such a hook runs in a thread of its own, which takes 10 MB and 40 ms.
 */
export function startFreshImports(): Promise<FreshImports> {
  started ??= "registerHooks" in nodeModule ? Promise.resolve(hookHere()) : hookInThread();
  return started;
}

/** Says which version CommonJS modules were loaded with. Does nothing if no module has a version yet. */
export async function assignVersion(urls: readonly string[], version: number): Promise<void> {
  if (started !== undefined && urls.length > 0) await (await started).assign(urls, version);
}

/** Node 22.15 and later. */
function hookHere(): FreshImports {
  const { registerHooks } = nodeModule as unknown as { registerHooks(hooks: SyncHooks): void };
  const chooser = createImportChooser();
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      if (!context.conditions.includes("import")) return resolved;
      const url = chooser.choose(specifier, context.parentURL, resolved.url);
      return url === resolved.url ? resolved : { ...resolved, url };
    },
  });
  return {
    takeResolved: () => Promise.resolve(chooser.takeResolved()),
    retry: (urls) => Promise.resolve(chooser.retry(urls)),
    assign: (urls, version) => Promise.resolve(chooser.assign(urls, version)),
  };
}

async function hookInThread(): Promise<FreshImports> {
  const { port1: port, port2 } = new MessageChannel();
  nodeModule.register(hooksUrl(), { data: { port: port2 }, transferList: [port2] });
  port.on("message", (found: Answer) => answer(port, found));
  port.unref();
  return {
    takeResolved: async () => (await ask(port, { kind: "takeResolved" })) as readonly PackageUrl[],
    retry: async (urls) => void (await ask(port, { kind: "retry", urls })),
    assign: async (urls, version) => void (await ask(port, { kind: "assign", urls, version })),
  };
}

/** Each answer has the number of its question: several tools may be loaded at a time. */
function ask(port: MessagePort, question: object): Promise<unknown> {
  const id = ++lastQuestion;
  if (waiting.size === 0) port.ref();
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    port.postMessage({ id, ...question });
  });
}

function answer(port: MessagePort, { id, found }: Answer): void {
  waiting.get(id)?.(found);
  waiting.delete(id);
  if (waiting.size === 0) port.unref();
}

/**
 * The hooks as a program: a file of its own would have to be found, and loaded as TypeScript, by each of dist, tsx and
 * vitest. What tsx wraps named functions in is defined here.
 */
function hooksUrl(): string {
  const program = `const __name = (value) => value;
    const chooser = (${createImportChooser.toString()})();
    export function initialize({ port }) {
      port.on("message", ({ id, kind, urls, version }) => {
        port.postMessage({ id, found: chooser[kind](urls, version) });
      });
      port.unref();
    }
    export async function resolve(specifier, context, next) {
      const resolved = await next(specifier, context);
      const url = chooser.choose(specifier, context.parentURL, resolved.url);
      return url === resolved.url ? resolved : { ...resolved, url };
    }`;
  return `data:text/javascript,${encodeURIComponent(program)}`;
}

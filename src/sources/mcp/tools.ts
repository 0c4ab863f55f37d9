import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { createNameTest } from "../../access/rights.ts";
import type { ToolWarning } from "../../core/observer.ts";
import type { Skipped } from "../../core/registry/tool-groups.ts";
import type { SourceReading } from "../../core/source.ts";
import { reasonOf } from "../../errors/reason.ts";
import { prepareTool } from "../../tool/prepared-tool.ts";
import type { Tool } from "../../tool/tool.ts";
import { toolNames } from "../tool-names.ts";
import type { CalledTool } from "./call.ts";
import { type DeclarationWarning, nameOfDeclaration, readServerTool } from "./declaration.ts";
import type { ListedTool } from "./list-tools.ts";
import type { McpSetting } from "./setting.ts";

/** A server that renames its tools without end must not fill the memory. */
const maxRemembered = 20_000;
/** How long declarations are read without a turn for calls, in milliseconds. */
const turnMs = 5;

export interface ToolMakerOptions extends Pick<McpSetting, "include" | "exclude" | "timeoutMs"> {
  /** The name of the source. */
  readonly source: string;
  readonly execute: (tool: CalledTool) => Tool["execute"];
}

/** Makes the tools of a server's lists. A tool that did not change is the same from one list to the next. */
export type MakeTools = (listed: readonly ListedTool[], needsHeaders: boolean) => Promise<SourceReading>;

interface MadeTool {
  /** The declaration and everything else that it was made of. */
  readonly key: string;
  /** Absent if it cannot be offered. */
  readonly tool?: Tool;
  readonly fault?: string;
  readonly warnings: readonly DeclarationWarning[];
}

export function createToolMaker({ source, include, exclude, timeoutMs, execute }: ToolMakerOptions): MakeTools {
  const isWanted = createFilter(include, exclude);
  let made = new Map<string, MadeTool>();
  let last: SourceReading | undefined;
  /** The hash of the first declaration of each tool, and when another one was seen, by the tool's own name. */
  const firstSeen = new Map<string, { readonly hash: string; changedAt?: string }>();

  const make = (name: string, own: string, { text }: ListedTool, needsHeaders: boolean, key: string): MadeTool => {
    try {
      if (text === "") throw new Error("its declaration is nested too deeply");
      const { parameters, response, headers, warnings, ...words } = readServerTool(text, needsHeaders);
      const tool = prepareTool({
        name,
        ...words,
        ...(timeoutMs !== undefined && { timeoutMs }),
        hasResponse: response !== undefined,
        schemas: () => ({ parameters, response }),
        execute: execute({ name: own, headers }),
      });
      return { key, tool, warnings };
    } catch (error) {
      return { key, fault: reasonOf(error) ?? "its declaration cannot be read", warnings: [] };
    }
  };
  /** Stays a warning: a server that people looked at once may be another one now. */
  const changeOf = (own: string, text: string): DeclarationWarning[] => {
    const hash = createHash("sha256").update(text).digest("base64");
    const seen = firstSeen.get(own);
    if (seen === undefined) firstSeen.set(own, { hash });
    else if (seen.hash !== hash) seen.changedAt ??= new Date().toISOString();
    const changedAt = seen?.changedAt;
    return changedAt === undefined ? [] : [{ message: `the server changed its declaration at ${changedAt}` }];
  };

  return async (listed, needsHeaders) => {
    const skipped: Skipped[] = [];
    const warnings: ToolWarning[] = [];
    const wanted = new Map<string, ListedTool>();
    listed.forEach((each, index) => {
      const own = nameOfDeclaration(each.declaration);
      if (own === undefined) skipped.push({ name: `tool ${index + 1}`, reason: "it has no name" });
      else if (!isWanted(own)) return;
      else if (wanted.has(own)) skipped.push({ name: own, reason: "the server lists another tool with this name" });
      else wanted.set(own, each);
    });
    const owns = [...wanted.keys()];
    const names = toolNames(owns.map((own) => `${source}_${own}`));
    const next = new Map<string, MadeTool>();
    const tools: Tool[] = [];
    let isSame = last !== undefined && made.size === owns.length;
    let turnEnd = performance.now() + turnMs;
    for (const [index, own] of owns.entries()) {
      const name = names[index]!;
      const listedTool = wanted.get(own)!;
      const key = `${name} ${needsHeaders} ${listedTool.text}`;
      let one = made.get(own);
      if (one?.key !== key) {
        isSame = false;
        one = make(name, own, listedTool, needsHeaders, key);
        if (performance.now() > turnEnd) {
          await setImmediate();
          turnEnd = performance.now() + turnMs;
        }
      }
      next.set(own, one);
      if (one.tool === undefined) skipped.push({ name, reason: one.fault! });
      else tools.push(one.tool);
      for (const warning of [...one.warnings, ...changeOf(own, listedTool.text)]) warnings.push({ name, ...warning });
    }
    made = next;
    if (firstSeen.size > maxRemembered) for (const own of firstSeen.keys()) if (!made.has(own)) firstSeen.delete(own);
    // The registry need not look at a list that is the same.
    if (!isSame || skipped.length !== last!.skipped.length) last = { tools, skipped, warnings };
    return last!;
  };
}

function createFilter(include: readonly string[] = ["*"], exclude: readonly string[] = []): (name: string) => boolean {
  const included = include.map(createNameTest);
  const excluded = exclude.map(createNameTest);
  return (name) => included.some((test) => test(name)) && !excluded.some((test) => test(name));
}

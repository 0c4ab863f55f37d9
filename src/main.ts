#!/usr/bin/env node
import { inspect } from "node:util";
import { ConfigError } from "./config/config-error.ts";
import { helpText } from "./cli/help.ts";

type Command = (args: readonly string[]) => Promise<number | undefined>;

// Each is loaded when it is called for: `toolhost key` needs no server.
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./cli/serve.ts")).serve,
  list: async () => (await import("./cli/list.ts")).list,
  call: async () => (await import("./cli/call.ts")).call,
  check: async () => (await import("./cli/check.ts")).check,
  new: async () => (await import("./cli/new.ts")).newTool,
  key: async () => (await import("./cli/key.ts")).key,
  health: async () => (await import("./cli/health.ts")).health,
};

async function main([name = "help", ...args]: readonly string[]): Promise<number | undefined> {
  if (name === "--version" || name === "version") {
    const { version } = await import("./http/status.ts");
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === "help" || name === "--help" || name === "-h" || args.includes("--help") || args.includes("-h")) {
    process.stdout.write(helpText);
    return 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) throw new ConfigError(`there is no command ${name}\n\n${helpText}`);
  return (await load())(args);
}

// Taken now: while the service serves, a tool that calls process.exit must fail.
const exit = process.exit.bind(process);

// Where its reader is gone, as in `toolhost list | head -1`, there is nobody to tell.
process.stdout.on("error", () => {});

try {
  const code = await main(process.argv.slice(2));
  if (code !== undefined) end(code);
} catch (error) {
  const isOurs = error instanceof ConfigError;
  process.stderr.write(`toolhost: ${isOurs ? error.message : inspect(error)}\n`);
  end(isOurs ? 2 : 1);
}

/** Ends even where a tool left a timer or a socket behind, but not before all is written. */
function end(code: number): void {
  process.stdout.write("", () => exit(code));
}

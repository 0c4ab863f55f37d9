#!/usr/bin/env node
import { ConfigError } from "./config.ts";
import { helpText } from "./cli/help.ts";

type Command = (args: readonly string[]) => Promise<number | undefined>;

// Each is loaded when it is called for: `toolhost key` needs no server.
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import("./cli/serve.ts")).serve,
  list: async () => (await import("./cli/list.ts")).list,
  call: async () => (await import("./cli/call.ts")).call,
  new: async () => (await import("./cli/new.ts")).newTool,
  key: async () => (await import("./cli/key.ts")).key,
};

async function main([name = "help", ...args]: readonly string[]): Promise<number | undefined> {
  if (name === "--version" || name === "version") {
    const { version } = await import("./http/status.ts");
    process.stdout.write(`${version}\n`);
    return 0;
  }
  if (name === "help" || name === "--help" || name === "-h" || args.includes("--help")) {
    process.stdout.write(helpText);
    return 0;
  }
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load === undefined) throw new ConfigError(`there is no command ${name}\n\n${helpText}`);
  return (await load())(args);
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`toolhost: ${error.message}\n`);
  process.exitCode = 2;
}

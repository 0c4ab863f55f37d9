import { ConfigError } from "../config/config-error.ts";
import { closest } from "../schema/suggest.ts";
import type { commandNames } from "./help.ts";
import type { Command, Io, OuterIo } from "./io.ts";

// Each is loaded when it is used: `toolhost key` needs no server.
const commands: Readonly<Record<(typeof commandNames)[number], () => Promise<Command>>> = {
  serve: async () => (await import("./serve.ts")).serve,
  worker: async () => (await import("./worker.ts")).worker,
  mcp: async () => (await import("./mcp.ts")).mcp,
  list: async () => (await import("./list.ts")).list,
  call: async () => (await import("./call.ts")).call,
  check: async () => (await import("./check.ts")).check,
  test: async () => (await import("./test.ts")).test,
  new: async () => (await import("./new.ts")).newTool,
  key: async () => (await import("./key.ts")).key,
  health: async () => (await import("./health.ts")).health,
};

/**
 * Runs a command line without the program's name.
 * @returns the exit code: 2 if the command line or the configuration is invalid; undefined if the process continues
 */
export async function runCommandLine(words: readonly string[], io: OuterIo): Promise<number | undefined> {
  const open: (() => Promise<void>)[] = [];
  try {
    return await run(words, { ...io, onEnd: (close) => void open.push(close) });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    io.err(`toolhost: ${error.message}\n`);
    return 2;
  } finally {
    await Promise.all(open.map((close) => close()));
  }
}

async function run([name = "help", ...args]: readonly string[], io: Io): Promise<number | undefined> {
  if (name === "--version" || name === "version") {
    const { version } = await import("../package.ts");
    io.out(`${version}\n`);
    return 0;
  }
  if (name === "help" || isHelpFlag(name))
    return await showHelp(
      args.find((word) => !isHelpFlag(word)),
      io,
    );
  if (!isCommand(name)) throw unknownCommand(name);
  // `call NAME --help` is about the tool.
  const isOwn = name === "call" && args.some((word) => !word.startsWith("-"));
  if (asksForHelp(args) && !isOwn) return await showHelp(name, io);
  return (await commands[name]())(args, io);
}

async function showHelp(name: string | undefined, io: Io): Promise<number> {
  if (name !== undefined && !isCommand(name)) throw unknownCommand(name);
  const { commandHelp, helpText } = await import("./help.ts");
  io.out(name === undefined ? helpText : commandHelp(name));
  return 0;
}

/** Words after `--` belong to another program. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end < 0 ? args : args.slice(0, end)).some(isHelpFlag);
}

function isHelpFlag(word: string): boolean {
  return word === "--help" || word === "-h";
}

function isCommand(name: string): name is (typeof commandNames)[number] {
  return Object.hasOwn(commands, name);
}

function unknownCommand(name: string): ConfigError {
  const meant = name.startsWith("-") ? `serve ${name}` : closest(name, [...Object.keys(commands), "help", "version"]);
  const hint = meant === undefined ? "" : `; did you mean "toolhost ${meant}"?`;
  return new ConfigError(
    `unknown command ${JSON.stringify(name)}${hint}\nRun "toolhost help" for the list of commands.`,
  );
}

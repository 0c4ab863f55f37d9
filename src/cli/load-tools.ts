import type { ToolConfig } from "../config/config.ts";
import type { ToolFlags } from "../config/flags.ts";
import { readToolConfig } from "../config/read-tools.ts";
import type { Observer } from "../core/observer.ts";
import { createTools, type Tools } from "../service/tools.ts";
import { boundOutput } from "../service/output-log.ts";
import { escapeControls, type Io } from "./io.ts";

/** How long the end of a command waits for the sources to close. */
const closeMs = 2000;

/**
 * The tools that flags, environment and file configure, for a command that ends.
 * @throws ConfigError
 */
export async function loadTools(flags: ToolFlags, io: Io, observer: Observer = {}): Promise<Tools> {
  return loadConfigured(await readToolConfig(flags, io.env, io.cwd), io, observer);
}

/** The tools of a configuration. Their sources are closed when the command ends. */
export async function loadConfigured(
  config: ToolConfig,
  { env, err, onEnd }: Io,
  observer: Observer = {},
): Promise<Tools> {
  const onOutput = boundOutput((source, line) => err(`${source}: ${escapeControls(line)}\n`));
  const tools = createTools({ observer, env, onOutput });
  onEnd(() => tools.close(closeMs));
  await tools.load(config);
  return tools;
}

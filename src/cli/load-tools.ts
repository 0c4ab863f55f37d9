import type { ToolFlags } from "../config/flags.ts";
import { readToolConfig } from "../config/read-tools.ts";
import type { Observer } from "../core/observer.ts";
import { createTools, type Tools } from "../service/tools.ts";
import type { Io } from "./io.ts";

/**
 * The tools for a command that ends.
 * @throws ConfigError
 */
export async function loadTools(flags: ToolFlags, { env, cwd }: Io, observer: Observer = {}): Promise<Tools> {
  const tools = createTools({ observer, env });
  await tools.load(await readToolConfig(flags, env, cwd));
  return tools;
}

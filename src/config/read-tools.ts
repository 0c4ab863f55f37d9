import { lstatSync } from "node:fs";
import { basename, resolve } from "node:path";
import { defaultLimits } from "../core/limits.ts";
import type { ToolConfig } from "./config.ts";
import type { ConfigLimits } from "./config-file.ts";
import { throwProblems } from "./config-error.ts";
import {
  type Env,
  type EnvironmentReading,
  readBaseOrigins,
  readList,
  readBoolean,
  readText,
  startReading,
} from "./environment.ts";
import type { FileReading } from "./file.ts";
import type { ToolFlags } from "./flags.ts";
import { findMissingFolders } from "./missing-folders.ts";

const defaultFile = "toolhost.yaml";
const defaults: ConfigLimits = {
  ...defaultLimits,
  bodyBytes: 1_048_576,
  replyBytes: 16_777_216,
  bytesInFlight: 268_435_456,
};
const noOverrides: ToolConfig["overrides"] = Object.freeze(Object.create(null) as ToolConfig["overrides"]);

/**
 * What `list` and `call` need: neither a bad PORT nor a missing key is their business, but a broken file is.
 * @throws ConfigError
 */
export async function readToolConfig(flags: ToolFlags, env: Env, cwd?: string): Promise<ToolConfig> {
  const reading = startReading(env);
  const { tools, missingFolders } = await readTools(flags, reading, cwd);
  throwProblems([...reading.problems, ...missingFolders]);
  return tools;
}

/**
 * The part of the configuration that has to do with tools, and the file that it was read from.
 * @param foldersBefore the tool folders of the configuration in force, which may have gone away since
 */
export async function readTools(
  flags: ToolFlags,
  reading: EnvironmentReading,
  cwd = process.cwd(),
  foldersBefore: readonly string[] = [],
): Promise<{ file: FileReading | undefined; tools: ToolConfig; missingFolders: readonly string[] }> {
  const { env, origins, problems } = reading;
  const configFile = findFile(flags, reading, cwd);
  // The YAML parser is loaded only if there is a file to parse.
  const file = configFile === undefined ? undefined : (await import("./file.ts")).readFile(configFile, reading);
  const settings = file?.settings ?? {};

  const folders = new Map<string, string>();
  const settingsOf = new Map<string, string>();
  const addFolders = (paths: readonly string[], origin: string, settingAt?: (index: number) => string): void => {
    for (const [index, path] of paths.entries()) {
      // An empty name would be the working folder. One that is named twice is one.
      const absolute = resolve(cwd, path);
      if (path === "" || folders.has(absolute)) continue;
      folders.set(absolute, origin);
      settingsOf.set(absolute, settingAt?.(index) ?? origin);
    }
  };
  addFolders(flags.tools ?? [], "--tools");
  addFolders(env["TOOLHOST_TOOLS"]?.split(":") ?? [], "TOOLHOST_TOOLS");
  const fileName = basename(configFile ?? "");
  addFolders(file?.toolFolders ?? [], fileName, (index) => `${fileName}: tools[${index}].folder`);
  const missingFolders = findMissingFolders(settingsOf, foldersBefore);
  [...folders.values()].forEach((origin, index) => origins.set(`toolFolders[${index}]`, origin));

  const allowed = readList(env, "TOOLHOST_EGRESS_ALLOW", ",");
  if (allowed.length > 0) {
    problems.push(...(await import("./egress-entries.ts")).checkEgressEntries("TOOLHOST_EGRESS_ALLOW", allowed));
    allowed.forEach((_, index) => origins.set(`egress.allow[${index}]`, "TOOLHOST_EGRESS_ALLOW"));
  }
  const bundled = readBoolean(reading, { place: "bundledTools", variable: "TOOLHOST_BUNDLED" }, true);
  if (flags["no-bundled"] === true) origins.set("bundledTools", "--no-bundled");
  const tools: ToolConfig = {
    toolFolders: [...folders.keys()],
    bundledTools: bundled && flags["no-bundled"] !== true,
    overrides: settings.overrides ?? noOverrides,
    limits: { ...defaults, ...settings.limits },
    egress: {
      allow: [...allowed, ...(settings.egress?.allow ?? [])],
      origins: readBaseOrigins(env, problems),
    },
    configFile,
  };
  return { file, tools, missingFolders };
}

/** @returns the file that is named, whether it exists or not; else the one in the working folder, if it exists */
function findFile(flags: ToolFlags, reading: EnvironmentReading, cwd: string): string | undefined {
  const flag = { name: "config", value: flags.config };
  const named = readText(reading, { place: "configFile", variable: "TOOLHOST_CONFIG", flag });
  if (named !== undefined) return resolve(cwd, named);
  const file = resolve(cwd, defaultFile);
  try {
    // A broken link counts as a file: to start without the configuration would be worse than an error.
    return lstatSync(file, { throwIfNoEntry: false }) === undefined ? undefined : file;
  } catch {
    return file;
  }
}

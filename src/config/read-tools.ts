import { lstatSync } from "node:fs";
import { basename, isAbsolute, resolve } from "node:path";
import type { ToolConfig } from "./config.ts";
import type { FolderSetting } from "../sources/folder/kind.ts";
import type { SourceSetting } from "../sources/source-kinds.ts";
import type { McpServersFile, SourceEntry } from "./config-file.ts";
import { throwProblems } from "./config-error.ts";
import { type Env, type EnvironmentReading, readBoolean, readText, startReading } from "./environment.ts";
import type { FileReading } from "./file.ts";
import type { ToolFlags } from "./flags.ts";
import type { CommandSource } from "./source-flags.ts";
import { defaultConfigLimits } from "./default-limits.ts";
import { readEgress } from "./read-egress.ts";
import type { McpSetting } from "../sources/mcp/setting.ts";
import { isDocumentUrl } from "../sources/openapi/setting.ts";
import { readMcpServers } from "./mcp-servers.ts";
import { findMissingFolders } from "./missing-folders.ts";
import type { NamedFolder } from "./source-values.ts";
import { type PlacedWorkers, readWorkerTokens } from "./worker-tokens.ts";

const defaultFile = "toolhost.yaml";
const noOverrides: ToolConfig["overrides"] = Object.freeze(Object.create(null) as ToolConfig["overrides"]);

/**
 * The settings of `list` and `call`: they ignore an invalid PORT and missing keys, but not an invalid file.
 * @throws ConfigError
 */
export async function readToolConfig(flags: ToolFlags, env: Env, cwd?: string): Promise<ToolConfig> {
  const reading = startReading(env);
  const { tools, missingFolders } = await readTools(flags, reading, cwd);
  throwProblems([...reading.problems, ...missingFolders]);
  return tools;
}

interface ToolsReading {
  readonly file: FileReading | undefined;
  readonly tools: ToolConfig;
  /** The folders that the configuration names. */
  readonly folders: readonly NamedFolder[];
  /** Those that are not there, each as a problem. */
  readonly missingFolders: readonly string[];
  /** Texts beside those of the file that must not be shown. */
  readonly secrets: readonly string[];
}

/**
 * The part of the configuration that concerns tools, and the file that it was read from. @param foldersBefore the
 * folders of the configuration in effect, which may have been removed since
 */
export async function readTools(
  flags: ToolFlags,
  reading: EnvironmentReading,
  cwd = process.cwd(),
  foldersBefore: readonly NamedFolder[] = [],
): Promise<ToolsReading> {
  const { env, origins } = reading;
  const configFile = findFile(flags, reading, cwd);
  // The YAML parser is loaded only if there is a file to parse.
  const file = configFile === undefined ? undefined : (await import("./file.ts")).readFile(configFile, reading);
  const settings = file?.settings ?? {};

  const fileName = basename(configFile ?? "");
  const foldersOf = (paths: readonly string[], origin: string): Named<FolderSetting>[] =>
    // An empty name would be the working folder.
    paths.filter((path) => path !== "").map((path) => ({ source: { folder: resolve(cwd, path) }, origin }));
  const outside = [
    ...foldersOf(flags.tools ?? [], "--tools"),
    ...foldersOf(env["TOOLHOST_TOOLS"]?.split(":") ?? [], "TOOLHOST_TOOLS"),
  ];
  const secrets: string[] = [];
  /** A file that lists servers becomes its servers. */
  const expand = (source: SourceSetting | McpServersFile, origin: string): readonly Named[] => {
    if (!("mcpServers" in source)) return [{ source, origin }];
    const listed = readMcpServers(source.mcpServers, reading);
    secrets.push(...listed.secrets);
    return listed.settings.map((each) => ({ source: each, origin: `${origin} (${basename(source.mcpServers)})` }));
  };
  const named = flags.sources ?? [];
  const fromFlags = named.flatMap((source): readonly Named[] => {
    if ("command" in source) {
      const setting = readCommand(source, reading);
      secrets.push(...Object.values(setting.mcp.env ?? {}));
      return [{ source: setting, origin: "--" }];
    }
    if ("mcpServers" in source) return expand({ mcpServers: resolve(cwd, source.mcpServers) }, "--mcp-config");
    const { openapi } = source;
    const setting = { ...source, openapi: isDocumentUrl(openapi) ? openapi : resolve(cwd, openapi) };
    return [{ source: withWritten(setting, openapi), origin: "--openapi" }];
  });
  const workers: PlacedWorkers[] = [];
  const inFile = (file?.sources ?? []).flatMap((source, index) => {
    if ("workers" in source) {
      workers.push({ entry: source, place: `${fileName}: tools[${index}].workers` });
      return [];
    }
    const written = settings.tools?.[index];
    const path = written !== undefined && "openapi" in written ? written.openapi : "";
    return expand(file?.secrets.has(path) === true ? source : withWritten(source, path), fileName);
  });
  const sources = withoutRepeated([...outside, ...fromFlags, ...inFile]);
  const folders: NamedFolder[] = [
    ...outside.map(({ source, origin }) => ({ path: source.folder, setting: origin })),
    ...(file?.folders ?? []),
  ];
  const missingFolders = findMissingFolders(folders, foldersBefore);
  sources.forEach(({ origin }, index) => origins.set(`sources[${index}]`, origin));

  const egress = await readEgress(reading);
  const bundled = readBoolean(reading, { place: "bundledTools", variable: "TOOLHOST_BUNDLED" }, true);
  if (flags["no-bundled"] === true) origins.set("bundledTools", "--no-bundled");
  const tools: ToolConfig = {
    sources: sources.map(({ source }) => source),
    // A user who names an API or a server wants its tools, not the bundled ones.
    bundledTools: flags.bundled === true || (bundled && flags["no-bundled"] !== true && named.length === 0),
    overrides: settings.overrides ?? noOverrides,
    workerTokens: readWorkerTokens(workers, reading.problems),
    limits: { ...defaultConfigLimits, ...settings.limits },
    egress: { ...egress, allow: [...egress.allow, ...(settings.egress?.allow ?? [])] },
    auth: { keys: settings.auth?.keys ?? [], jwt: settings.auth?.jwt },
    configFile,
  };
  return { file, tools, folders, missingFolders, secrets };
}

/** A source, with the flag, variable or file that names it. */
interface Named<Setting = SourceSetting> {
  readonly source: Setting;
  readonly origin: string;
}

/** Messages name a file as its operator wrote it: an absolute path would show the machine to callers. */
function withWritten<Source extends SourceEntry>(source: Source, path: string): Source {
  const isRelative = "openapi" in source && path !== "" && !isDocumentUrl(path) && !isAbsolute(path);
  return isRelative ? { ...source, writtenAs: path } : source;
}

function readCommand({ command, name, variables }: CommandSource, { env, problems }: EnvironmentReading): McpSetting {
  const [program, ...args] = command;
  const passed = variables.flatMap((variable) => {
    const value = Object.hasOwn(env, variable) ? env[variable] : undefined;
    if (value === undefined) problems.push(`--env ${variable}: the environment variable is not set`);
    return value === undefined ? [] : [[variable, value] as const];
  });
  const server = { command: program, args, ...(passed.length > 0 && { env: Object.fromEntries(passed) }) };
  return { mcp: server, ...(name !== undefined && { name }) };
}

/** A source that is named twice is read once. */
function withoutRepeated(named: readonly Named[]): Named[] {
  const first = new Map<string, Named>();
  for (const each of named) {
    const key = JSON.stringify({ ...each.source, writtenAs: undefined });
    if (!first.has(key)) first.set(key, each);
  }
  return [...first.values()];
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

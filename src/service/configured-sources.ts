import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseUrl } from "../net/parse-url.ts";
import type { SourceSetting, SourceSettings } from "../config/config-file.ts";
import type { ToolConfig } from "../config/config.ts";
import type { Source } from "../core/source.ts";
import { createFolderSource } from "../sources/folder/source.ts";
import { nameOfServer } from "../sources/mcp/server-name.ts";
import { createMcpSource } from "../sources/mcp/source.ts";
import { isDocumentUrl, nameOfDocument } from "../sources/openapi/setting.ts";
import { createOpenApiSource } from "../sources/openapi/source.ts";
import type { ConfiguredSource } from "../sources/sources.ts";
import { nameSources, type SourceNaming } from "./source-names.ts";

/** How a source of one kind is made. */
interface SourceFactory<Setting> {
  /** The name of a source whose setting has none. It gets an ending if another source has the name. */
  nameOf(setting: Setting): string;
  /** What distinguishes it from others of its kind, such as a path. Contains no secret, and stays if other fields change. */
  idOf(setting: Setting): string;
  open(name: string, setting: Setting, network: SourceNetwork): Source;
  /** URLs of the operator, whose origins tools may reach whatever their address. @default none */
  urlsOf?(setting: Setting): readonly (string | undefined)[];
  /** Request headers of calls that it sends on. @default none */
  forwardOf?(setting: Setting): readonly string[];
}

/** How sources reach others while they are read. */
export interface SourceNetwork {
  /** Obeys the egress rules of the configuration, and takes long documents. */
  readonly fetch: typeof fetch;
  /** The origins of bases by document, over all configurations. */
  readonly bases: Map<string, string>;
  /** Called with a line that a program of a source wrote for people. */
  readonly onOutput: (source: string, line: string) => void;
}

const factories: { readonly [Kind in keyof SourceSettings]: SourceFactory<SourceSettings[Kind]> } = {
  folder: {
    nameOf: ({ folder }) => basename(resolve(folder)) || "root",
    idOf: ({ folder }) => resolve(folder),
    open: (name, { folder }) => createFolderSource({ name, dir: resolve(folder) }),
  },
  openapi: {
    nameOf: ({ openapi }) => nameOfDocument(openapi),
    idOf: ({ openapi }) => openapi,
    open: (name, setting, network) => createOpenApiSource({ name, setting, ...network }),
    urlsOf: ({ openapi, baseUrl, auth }) => [
      isDocumentUrl(openapi) ? openapi : undefined,
      baseUrl,
      auth !== undefined && "oauth2" in auth ? auth.oauth2.tokenUrl : undefined,
    ],
    forwardOf: ({ forward = [] }) => forward,
  },
  mcp: {
    nameOf: ({ mcp }) => nameOfServer(mcp),
    idOf: ({ mcp: { url, command, args = [] } }) => JSON.stringify(url ?? [command, ...args]),
    open: (name, setting, { fetch, onOutput }) =>
      createMcpSource({ name, setting, fetch, onOutput: (line) => onOutput(name, line) }),
    urlsOf: ({ mcp, auth }) => [mcp.url, auth !== undefined && "oauth2" in auth ? auth.oauth2.tokenUrl : undefined],
  },
};

/** The keys of the kinds that this version can make. */
export const sourceKinds = Object.keys(factories) as (keyof SourceSettings)[];

/** A source with the name that it was given. */
export interface NamedSource extends ConfiguredSource {
  readonly name: string;
  /** Its kind and what distinguishes it from others of its kind. */
  readonly id: string;
}

// `tools` is beside `src`, here and in dist.
const bundledFolder = join(dirname(fileURLToPath(import.meta.url)), "../../tools");
const bundled: NamedSource = {
  name: "bundled",
  id: "bundled",
  key: "bundled",
  open: () => createFolderSource({ name: "bundled", dir: bundledFolder, isWatched: false }),
};

/**
 * The sources of a configuration, by rank: of two tools with one name the operator's own comes before the bundled one.
 * @param inForce the sources of the configuration before: one that stays keeps its name, so it need not be opened again
 * @param network what sources that are opened use from then on
 */
export function configuredSources(
  { sources, bundledTools, egress }: ToolConfig,
  inForce: readonly NamedSource[],
  network: SourceNetwork,
): NamedSource[] {
  const drafts = sources.map(draftOf);
  const names = nameSources(drafts, inForce);
  const own = drafts.map(({ id, key, hasUrls, open }, index): NamedSource => {
    const name = names[index]!;
    return { name, id, key: JSON.stringify([name, key, hasUrls ? egress : null]), open: () => open(name, network) };
  });
  return bundledTools ? [...own, bundled] : own;
}

interface Draft extends SourceNaming {
  readonly key: string;
  /** It reaches others by rules of the configuration. */
  readonly hasUrls: boolean;
  readonly open: (name: string, network: SourceNetwork) => Source;
}

function draftOf(setting: SourceSetting & { readonly name?: string }): Draft {
  const factory = factoryOf(setting);
  return {
    id: `${kindOf(setting)} ${factory.idOf(setting)}`,
    ownName: setting.name,
    proposedName: factory.nameOf(setting),
    key: JSON.stringify(setting),
    hasUrls: factory.urlsOf !== undefined,
    open: (name, network) => factory.open(name, setting, network),
  };
}

function kindOf(setting: SourceSetting): keyof SourceSettings {
  return sourceKinds.find((key) => Object.hasOwn(setting, key))!;
}

function factoryOf(setting: SourceSetting): SourceFactory<SourceSetting> {
  return factories[kindOf(setting)];
}

/** The request headers of calls that sources send on, in lower case. */
export function forwardedHeadersOf(sources: readonly SourceSetting[]): ReadonlySet<string> {
  return new Set(
    sources.flatMap((setting) => factoryOf(setting).forwardOf?.(setting) ?? []).map((name) => name.toLowerCase()),
  );
}

/** The origins of the URLs that operators wrote in the settings of sources. */
export function originsOf(sources: readonly SourceSetting[]): string[] {
  const urls = sources.flatMap((setting) => factoryOf(setting).urlsOf?.(setting) ?? []);
  return urls.flatMap((url) => (url === undefined ? [] : (parseUrl(url)?.origin ?? [])));
}

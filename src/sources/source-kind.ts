import type { Source } from "../core/source.ts";

/** A kind of sources: how an entry of `tools` in the configuration becomes a {@link Source}. */
export interface SourceKind<Setting> {
  /** The name of a source whose setting has none. It gets an ending if another source has the name. */
  nameOf(setting: Setting): string;
  /** What distinguishes it from others of its kind, such as a path. Contains no secret, and stays if other fields change. */
  idOf(setting: Setting): string;
  /** Loads the code of its sources, which a service without them does not need. */
  load(): Promise<SourceOpener<Setting>>;
  /** URLs of the operator, whose origins tools may reach whatever their address. @default none */
  urlsOf?(setting: Setting): readonly (string | undefined)[];
  /** Request headers of calls that it sends on. @default none */
  forwardOf?(setting: Setting): readonly string[];
}

export interface SourceOpener<Setting> {
  /** Must not throw: a source that cannot be opened fails when it is read. */
  open(name: string, setting: Setting, network: SourceNetwork): Source;
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

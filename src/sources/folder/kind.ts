import { basename, resolve } from "node:path";
import type { SourceKind } from "../source-kind.ts";
import { createFolderSource } from "./source.ts";

/** A folder that contains tool folders, as `toolhost.yaml` names it. */
export interface FolderSetting {
  /** A path, absolute or relative to the working folder. */
  readonly folder: string;
}

export const folderKind: SourceKind<FolderSetting> = {
  nameOf: ({ folder }) => basename(resolve(folder)) || "root",
  idOf: ({ folder }) => resolve(folder),
  load: async () => ({ open: (name, { folder }) => createFolderSource({ name, dir: resolve(folder) }) }),
};

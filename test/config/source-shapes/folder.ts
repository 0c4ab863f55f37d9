import type { FolderSetting } from "../../../src/sources/folder/kind.ts";
import type { Shape } from "../shape.ts";

export const shape = { folder: "string" } as const satisfies Shape<FolderSetting>;

import type { FolderSource } from "../../../src/config/config-file.ts";
import type { Shape } from "../shape.ts";

export const shape = { folder: "string" } as const satisfies Shape<FolderSource>;

import { tokenUrlOf } from "../credentials/credentials.ts";
import type { SourceKind } from "../source-kind.ts";
import { isDocumentUrl, nameOfDocument, type OpenApiSetting } from "./setting.ts";

export const openapiKind: SourceKind<OpenApiSetting> = {
  nameOf: ({ openapi }) => nameOfDocument(openapi),
  idOf: ({ openapi }) => openapi,
  async load() {
    const { createOpenApiSource } = await import("./source.ts");
    return { open: (name, setting, network) => createOpenApiSource({ name, setting, ...network }) };
  },
  urlsOf: ({ openapi, baseUrl, auth }) => [isDocumentUrl(openapi) ? openapi : undefined, baseUrl, tokenUrlOf(auth)],
  forwardOf: ({ forward = [] }) => forward,
};

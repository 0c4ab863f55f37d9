import type { JsonObject } from "../../json/object.ts";
import type { DeclaredTool, Dialect } from "../dialect.ts";
import { readMcpReply, writeMcpResults } from "./reply.ts";
import type { ResultForm } from "./result-form.ts";
import type { ConvertedProfile } from "../schema/profile.ts";
import { outputSchemaOf, toInputSchema } from "./schema.ts";
import { isOfType } from "../media.ts";
import { chooseByList } from "../tool-choice.ts";

const profile: ConvertedProfile = { name: "mcp", convert: toInputSchema };

/** Model Context Protocol, `tools/list`. Source: modelcontextprotocol.io/specification, revision 2025-11-25. */
export const mcp: Dialect = {
  name: "mcp",
  profile: () => profile,
  declare: (tool, inputSchema) => declareMcp(tool, inputSchema, "wrapped"),
  list: (declarations) => declarations,
  readReply: readMcpReply,
  writeResults: writeMcpResults,
  shows: (media) => isOfType(media, /^/),
  toolChoice: chooseByList,
};

/** A tool as a revision of the protocol lists it. */
export function declareMcp(
  { name, title, description, annotations, response, contentBlocks }: DeclaredTool,
  inputSchema: JsonObject,
  form: ResultForm,
): JsonObject {
  const outputSchema = contentBlocks === true ? undefined : outputSchemaOf(response, form);
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && {
      annotations: {
        ...(annotations.readOnly !== undefined && { readOnlyHint: annotations.readOnly }),
        ...(annotations.destructive !== undefined && { destructiveHint: annotations.destructive }),
        ...(annotations.idempotent !== undefined && { idempotentHint: annotations.idempotent }),
        ...(annotations.openWorld !== undefined && { openWorldHint: annotations.openWorld }),
      },
    }),
  };
}

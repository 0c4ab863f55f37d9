import type { JsonObject } from "../../json/object.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { Dialect } from "../dialect.ts";
import { readMcpReply, writeMcpResults } from "./reply.ts";
import { outputSchemaOf } from "./schema.ts";
import { chooseByList } from "../tool-choice.ts";

/**
 * Model Context Protocol, `tools/list`. Source: modelcontextprotocol.io/specification, revision 2025-11-25. It requires
 * that results are objects: any other result is wrapped as `{"result": …}`, in schema and value.
 */
export const mcp: Dialect = {
  name: "mcp",
  profile: () => "mcp",
  declare: ({ name, title, description, annotations, response, contentBlocks }, inputSchema) => ({
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema,
    ...(contentBlocks !== true && writeOutputSchema(response)),
    ...(annotations !== undefined && {
      annotations: {
        ...(annotations.readOnly !== undefined && { readOnlyHint: annotations.readOnly }),
        ...(annotations.destructive !== undefined && { destructiveHint: annotations.destructive }),
        ...(annotations.idempotent !== undefined && { idempotentHint: annotations.idempotent }),
        ...(annotations.openWorld !== undefined && { openWorldHint: annotations.openWorld }),
      },
    }),
  }),
  list: (declarations) => declarations,
  readReply: readMcpReply,
  writeResults: writeMcpResults,
  shows: () => true,
  toolChoice: chooseByList,
};

function writeOutputSchema(response: JsonSchema | undefined): { outputSchema?: JsonObject } {
  const outputSchema = outputSchemaOf(response);
  return outputSchema === undefined ? {} : { outputSchema };
}

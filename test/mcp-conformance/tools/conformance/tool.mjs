// The tools that the scenarios call, by the names and with the results that the suites' descriptions ask for.
import { setTimeout as sleep } from "node:timers/promises";

const noArguments = { type: "object", properties: {}, additionalProperties: false };
/** One red pixel. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A header without samples. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const text = { type: "text", text: "This is a simple text response for testing." };
const image = { type: "image", data: png, mimeType: "image/png" };
const audio = { type: "audio", data: wav, mimeType: "audio/wav" };
const resource = {
  type: "resource",
  resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." },
};

function contentTool(name, ...content) {
  return {
    name,
    description: `Returns ${content.map(({ type }) => type).join(", ")}.`,
    parameters: noArguments,
    contentBlocks: true,
    execute: () => ({ content }),
  };
}

export const tools = [
  contentTool("test_simple_text", text),
  contentTool("test_image_content", image),
  contentTool("test_audio_content", audio),
  contentTool("test_embedded_resource", resource),
  contentTool("test_multiple_content_types", text, image, resource),
  contentTool("test_streaming_elicitation", text),
  contentTool("test_logging_tool", text),
  {
    name: "test_error_handling",
    description: "Fails.",
    parameters: noArguments,
    execute() {
      throw Object.assign(new Error("This tool intentionally returns an error for testing"), { name: "ToolError" });
    },
  },
  {
    name: "test_tool_with_progress",
    description: "Reports its progress.",
    parameters: noArguments,
    async execute(_args, { progress }) {
      for (const done of [0, 50, 100]) {
        progress({ progress: done, total: 100 });
        await sleep(20);
      }
      return "done";
    },
  },
  {
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    execute: () => "ok",
  },
  {
    name: "test_x_mcp_header",
    description: "Has an argument that clients repeat in a header.",
    parameters: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
    },
    execute: ({ region = "none" }) => region,
  },
];

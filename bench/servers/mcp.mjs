// (e) The MCP SDK over Streamable HTTP, in its cheapest set-up: no sessions, a JSON answer, no web framework.
import http from "node:http";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";
import { loadToolFolder } from "./tool-folder.mjs";

const { execute, description } = await loadToolFolder("bench_weather");

const inputSchema = { location: z.string(), unit: z.enum(["celsius", "fahrenheit"]).optional() };
const outputSchema = { location: z.string(), current_temp_c: z.number(), condition: z.string() };

http
  .createServer(async (request, response) => {
    // Without sessions the SDK wants a server and a transport a request: a shared one would mix up request ids.
    const server = new McpServer({ name: "bench", version: "1.0.0" });
    server.registerTool("bench_weather", { description, inputSchema, outputSchema }, async (args) => {
      const structuredContent = await execute(args);
      return { structuredContent, content: [{ type: "text", text: JSON.stringify(structuredContent) }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse: true,
    });
    response.on("close", () => server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  })
  .listen(Number(process.env.PORT), "127.0.0.1");

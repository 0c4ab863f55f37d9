// A server for the one scenario that calls a tool which needs the client to sample. No tool of Toolhost can: this one is
// answered in front of the handler, by the errors and the HTTP rules of the service.
import { pathToFileURL } from "node:url";

const [dist] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${dist}/src/${path}`));
const [{ createApp }, { createRegistry }, { createServer }, { createMcpHandler }, { createMcpRoutes }, rpc, { tools }] =
  await Promise.all([
    load("http/app.js"),
    load("core/registry/registry.js"),
    load("http/node/server.js"),
    load("mcp/handler.js"),
    load("mcp/http/door.js"),
    load("mcp/json-rpc.js"),
    import("./tools/conformance/tool.mjs"),
  ]);

const name = "test_missing_capability";
const missing = {
  name,
  description: "Needs a client that samples.",
  parameters: { type: "object", properties: {} },
  execute: () => null,
};

/** Refuses calls of the tool from clients that do not declare the capability. */
function withCapability(handler) {
  return {
    find(request) {
      const capabilities = request.meta["io.modelcontextprotocol/clientCapabilities"];
      if (request.params.name === name && capabilities?.sampling === undefined) {
        const data = { requiredCapabilities: { sampling: {} } };
        const code = rpc.rpcCodes.missingClientCapability;
        throw new rpc.ProtocolError(code, "The client must support sampling.", request.id, data);
      }
      return handler.find(request);
    },
  };
}

const registry = createRegistry({ tools: [...tools, missing] });
const door = (settings) =>
  createMcpRoutes(settings, withCapability(createMcpHandler(settings.registry, settings.startCall)));
const server = createServer({ app: createApp({ registry, doors: [door], hosts: "loopback" }) });
server.listen(0, "127.0.0.1", () => {
  process.stderr.write(`${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}`, msg: "listening" })}\n`);
});

import { expect, test } from "vitest";
import { nameOfServer } from "../../../src/sources/mcp/server-name.ts";

test.each([
  ["npx -y @modelcontextprotocol/server-memory", "server-memory"],
  ["npx -y @modelcontextprotocol/server-filesystem@2026.1.0 /srv /tmp", "server-filesystem"],
  ["npx --package=@scope/tools@1 -- run-it", "tools"],
  ["npx -p some-package bin", "some-package"],
  ["npm exec -- @scope/server", "server"],
  ["uvx mcp-server-git --repository .", "mcp-server-git"],
  ["uvx --from git+https://example.com/org/weather weather", "weather"],
  ["uv --directory /srv/app run server.py", "server"],
  ["uv run python -m my_server", "my_server"],
  ["node --import tsx ./build/index.mjs", "index"],
  ["npx tsx src/server.ts", "server"],
  ["python3 -m mcp_server_time --local-timezone UTC", "mcp_server_time"],
  ["docker run -i --rm -e TOKEN ghcr.io/github/github-mcp-server:1.2", "github-mcp-server"],
  ["/usr/local/bin/my.server --flag", "my_server"],
  ["npx", "npx"],
  ["7zip-mcp", "mcp_7zip-mcp"],
])("the name of %s is %s", (line, name) => {
  const [command = "", ...args] = line.split(" ");
  expect(nameOfServer({ command, args })).toBe(name);
});

test.each([
  ["uvx --index-url https://user:hunter2@host pkg", "pkg"],
  ["uvx https://user:hunter2@host", "uvx"],
  ["uvx --from git+https://user:hunter2@host weather", "weather"],
  ["uvx --from=git+https://user:hunter2@host weather", "weather"],
  ["npx --token hunter2 pkg", "pkg"],
  ["npx --token=hunter2 --yes pkg", "pkg"],
  ["npx --token hunter2 -- pkg", "pkg"],
  ["npx --token hunter2", "npx"],
  ["docker run --label key=hunter2 image", "image"],
  ["docker run -l key=hunter2 -m 512m -u root image", "image"],
  ["node --max-old-space-size 4000 x.js", "x"],
  ["node --no-warnings --enable-source-maps x.js", "x"],
  ["python3 -u server.py", "server"],
  ["uvx mcp-server==1.2 --key hunter2", "mcp-server"],
])("no value of a flag and no URL becomes the name: %s", (line, name) => {
  const [command = "", ...args] = line.split(" ");
  expect(nameOfServer({ command, args })).toBe(name);
});

test("the name of a URL is its host", () => {
  expect(nameOfServer({ url: "https://mcp.example:8443/mcp" })).toBe("mcp_example");
  expect(nameOfServer({ url: "http://127.0.0.1/mcp" })).toBe("mcp_127_0_0_1");
});

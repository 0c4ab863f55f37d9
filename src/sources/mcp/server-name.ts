import { parseUrl } from "../../net/parse-url.ts";
import type { McpServer } from "./setting.ts";

/** Programs whose argument is the package or script that runs. */
const runners = /^(?:npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|deno|uv|node|nodejs|tsx|python[\d.]*|docker|podman)$/;
/** Words of runners before the package. */
const subcommands = /^(?:exec|run|dlx|x|tool|--)$/;
/** Flags of runners with a value in the next argument. */
const flagsWithValue =
  /^(?:-e|-v|-w|-u|-p|--env|--env-file|--volume|--mount|--network|--name|--user|--workdir|--publish|--registry|--import|--require|-r|--directory|--project|--python|--with)$/;

/** The name of a source that has none: that of the last package or program of its command, or the host of its URL. */
export function nameOfServer({ command = "", args = [], url }: McpServer): string {
  const name = url === undefined ? nameOfCommand([command, ...args]) : (parseUrl(url)?.hostname ?? "");
  const legal = name.replace(/[^A-Za-z0-9_-]/g, "_");
  return /^[A-Za-z_]/.test(legal) ? legal : `mcp_${legal}`.replace(/_$/, "");
}

function nameOfCommand([program = "", ...args]: readonly string[]): string {
  const base = fileName(program);
  if (!runners.test(base)) return withoutEnding(base);
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    const [flag = "", value] = argument.split("=", 2);
    if (/^(?:-m|--package|--from)$/.test(flag) || (flag === "-p" && /^(?:npx|npm)$/.test(base))) {
      return packageName(value ?? args[index + 1] ?? base);
    }
    if (flagsWithValue.test(argument)) index++;
    // `uv run server.py` and `npx tsx server.ts` name another runner first.
    else if (!argument.startsWith("-") && !subcommands.test(argument)) {
      return nameOfCommand([
        /^(?:docker|podman)$/.test(base) ? imageName(argument) : argument,
        ...args.slice(index + 1),
      ]);
    }
  }
  return base;
}

/** `@scope/server-memory@1.2` → `server-memory`. */
function packageName(name: string): string {
  return fileName(name).replace(/(?<=.)@[^@]*$/, "");
}

/** `ghcr.io/github/github-mcp-server:1.2` → `github-mcp-server`. */
function imageName(image: string): string {
  return fileName(image).replace(/[:@].*$/, "");
}

function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

function withoutEnding(name: string): string {
  return packageName(name).replace(/\.(?:[cm]?[jt]s|py|exe|cmd|sh)$/i, "");
}

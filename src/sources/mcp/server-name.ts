import { parseUrl } from "../../net/parse-url.ts";
import type { McpServer } from "./setting.ts";

/** Programs whose argument is the package or script that runs. */
const runners = /^(?:npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|deno|uv|node|nodejs|tsx|python[\d.]*|docker|podman)$/;
const containers = /^(?:docker|podman)$/;
/** Words of runners before the package. */
const subcommands = /^(?:exec|run|dlx|x|tool)$/;
/** Short flags of runners with a value in the next argument. */
const shortFlagsWithValue = /^-[evwprlhcXWC]$/;
/** Long flags without a value. The word after any other may be a secret, such as that of `--token`. */
const switches =
  /^--(?:rm|init|interactive|tty|detach|privileged|read-only|yes|quiet|silent|verbose|no|no-[\w-]+|offline|prefer-offline|prefer-online|ignore-existing|isolated|refresh|frozen|locked|exact|bun|hot|watch|smol|allow-[\w-]+|unstable[\w-]*|experimental-[\w-]+|enable-source-maps|inspect|trace-[\w-]+)?$/;

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
    const isContainer = containers.test(base);
    const [, flag = "", value] = /^(-[^=]*)(?:=(.*))?$/s.exec(argument) ?? [];
    if (namesPackage(flag, base)) {
      const name = withoutVersion(value ?? args[index + 1] ?? base);
      if (!mayBeSecret(name)) return packageName(name);
    }
    if (flag !== "") {
      const isShort = !flag.startsWith("--");
      const hasValue = isShort
        ? shortFlagsWithValue.test(flag) || flag === "-m" || (flag === "-u" && isContainer)
        : !switches.test(flag);
      if (value === undefined && hasValue) index++;
    }
    // `uv run server.py` and `npx tsx server.ts` name another runner first.
    else if (!subcommands.test(argument)) {
      const name = withoutVersion(argument);
      if (!mayBeSecret(name)) return nameOfCommand([isContainer ? imageName(name) : name, ...args.slice(index + 1)]);
    }
  }
  return base;
}

function namesPackage(flag: string, base: string): boolean {
  if (flag === "-m") return !containers.test(base);
  return /^--(?:package|from)$/.test(flag) || (flag === "-p" && /^(?:npx|npm)$/.test(base));
}

/** A URL may contain a password, and an assignment any value. */
function mayBeSecret(word: string): boolean {
  return word.includes("://") || word.includes("=");
}

/** `mcp-server-git==1.2` → `mcp-server-git`. */
function withoutVersion(name: string): string {
  return name.replace(/(?:[=~]=|>=|<=).*$/s, "");
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

import { dialectNames } from "../dialects/dialects.ts";
interface CommandHelp {
  /** The text after `toolhost NAME`. */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** What each flag does, and the meaning of the exit codes. */
  readonly details: string;
}

const toolFlags = `  --config FILE    the configuration file (default: toolhost.yaml, if it exists)
  --tools DIR      a folder that contains tool folders; can be repeated
  --openapi DOC    the operations of an OpenAPI document (a file or a URL); can be repeated
  -- COMMAND       at the end: the command of an MCP server whose tools are added
  --env NAME       an environment variable that this MCP server gets; can be repeated
  --mcp-config FILE
                   a file with mcpServers, the format of other MCP clients; can be repeated
  --name NAME      the name of the source; put it before --openapi or -- COMMAND (default: from the file or package)
  --base-url URL   the URL of the API, after its --openapi (default: the document's first server)
  --no-bundled     leave out the bundled tools
  --bundled        include the bundled tools, even with other sources
`;

const ownToolFlags = `  --config FILE    the configuration file (default: toolhost.yaml, if it exists)
  --tools DIR      a folder that contains tool folders; can be repeated
  --openapi DOC    the operations of an OpenAPI document (a file or a URL); can be repeated
  -- COMMAND       at the end: the command of an MCP server whose tools are added
  --env NAME       an environment variable that this MCP server gets; can be repeated
  --mcp-config FILE
                   a file with mcpServers, the format of other MCP clients; can be repeated
  --name NAME      the name of the source; put it before --openapi or -- COMMAND (default: from the file or package)
  --base-url URL   the URL of the API, after its --openapi (default: the document's first server)
  --bundled        include the bundled tools
`;

const environment = `Environment:
  HOST, PORT, UNIX_SOCKET, LOG_LEVEL, TOOLHOST_CONFIG, TOOLHOST_TOOLS, TOOLHOST_BUNDLED
                           the same as the flags
  TOOLHOST_API_KEYS        keys of the callers, separated by commas
  TOOLHOST_INSECURE=1      allow calls from other machines without keys (unsafe)
  TOOLHOST_EGRESS_ALLOW    private addresses that tools may reach, separated by commas
  SHUTDOWN_DELAY_MS        how long new calls are still served after SIGTERM, in ms
  SHUTDOWN_TIMEOUT_MS      how long the shutdown then waits for running calls, in ms
  WEATHER_BASE_URL, TAVILY_BASE_URL, TAVILY_API_KEY
                           settings of the bundled tools; tools may reach the URL in any *_BASE_URL
`;

const commands = {
  serve: {
    usage: "[flags] [-- COMMAND of an MCP server]",
    summary: "Starts the service.",
    details: `  --host H             the address to listen at (default: 127.0.0.1)
  --port P             the port (default: 8080; 0 is any free port)
  --unix-socket PATH   listen at a Unix socket instead
  --log-level LEVEL    trace, debug, info, warn, error, fatal or silent (default: info)
  --config FILE        the configuration file (default: toolhost.yaml, if it exists)
  --tools DIR          a folder that contains tool folders; can be repeated
  --openapi DOC        the operations of an OpenAPI document (a file or a URL); can be repeated
  -- COMMAND           at the end: the command of an MCP server whose tools are added
  --env NAME           an environment variable that this MCP server gets; can be repeated
  --mcp-config FILE    a file with mcpServers, the format of other MCP clients; can be repeated
  --name NAME          the name of the source; put it before --openapi or -- COMMAND (default: from the file or package)
  --base-url URL       the URL of the API, after its --openapi (default: the document's first server)
  --no-bundled         leave out the bundled tools
  --bundled            include the bundled tools, even with other sources
  --print-config       print the configuration with masked secrets, and exit

${environment}`,
  },
  worker: {
    usage: "DIR… [--url URL] [flags]",
    summary: "Offers tool folders to a Toolhost that runs elsewhere.",
    details: `  DIR              a folder that contains tool folders; TOOLHOST_TOOLS adds more
  --url URL        the running service (default: TOOLHOST_URL, or http://127.0.0.1:8080)
  --name NAME      the name of the worker, which is the source of its tools (default: the name of the first folder)
  --concurrency N  the maximum number of calls that run at once (default: 100)
  --log-level LEVEL
                   trace, debug, info, warn, error, fatal or silent (default: info); the log goes to stderr

TOOLHOST_WORKER_TOKEN must be one of the tokens of the service's workers. It has no flag, because other users of a
machine can read command lines. The worker needs no open port, and reads no configuration file. If a file of a tool
changes, the worker offers the changed tool without a restart. SIGTERM ends the worker when its running calls are
answered, or after SHUTDOWN_TIMEOUT_MS. Workers that offer the same tools share the calls. If a worker starts under
the same name with a changed tool, new calls of this tool go to it alone. Exits with 2 if the service refuses the worker.
`,
  },
  mcp: {
    usage: "[--url URL] [flags]",
    summary: "Serves the tools over stdin and stdout, to an MCP client that starts this command.",
    details: `  --url URL        serve the tools of a running service; TOOLHOST_API_KEY is sent as the key
  --log-level LEVEL
                   trace, debug, info, warn, error, fatal or silent (default: info); the log goes to stderr
${toolFlags}
The command ends when its stdin is closed. docs/mcp.md shows the settings of Claude Desktop, Cursor and VS Code.
`,
  },
  list: {
    usage: "[--json] [--url URL] [flags]",
    summary: "Lists the tools of this machine, or of a running service.",
    details: `  --url URL        ask a running service; the first key of TOOLHOST_API_KEYS is sent
  --json           print the declarations as JSON
${toolFlags}
Tools that are unavailable or were skipped are reported on stderr, with the reason.
`,
  },
  call: {
    usage: 'NAME [\'{"argument": "as JSON"}\' | -] [--url URL] [flags]',
    summary: "Runs a tool and prints its outcome.",
    details: `  -                read the arguments from stdin
  --url URL        call a running service; the first key of TOOLHOST_API_KEYS is sent
  --dry-run        print the request of an OpenAPI tool with masked secrets, and do not send it
${toolFlags}
Example: toolhost call get_current_time '{"timezone": "Asia/Tokyo"}'

"toolhost call NAME --help" shows the arguments of a tool.
Exits with 0 if the call was successful, 1 if the outcome is an error.
`,
  },
  check: {
    usage: "[NAME…] [--verbose] [--format F,F] [--strict] [--json] [flags]",
    summary: "Checks the fields, schemas and examples of your tools, and their form for each provider.",
    details: `  --verbose        print each thing that a provider's format cannot express
  --format F,F     check only these formats: ${dialectNames.join(", ")}
  --strict         also check the strict form of each format
  --tool NAME      check only this tool; the same as NAME
  --json           print everything as JSON
${ownToolFlags}
The examples are checked against the schemas. No tool is run.
Exits with 1 if there is no tool, a tool was skipped, an example does not match, or a tool cannot be
expressed in the format of one of the providers.
`,
  },
  test: {
    usage: "[NAME…] [--exact] [--json] [flags]",
    summary: "Runs your tools with the arguments in their examples.json.",
    details: `  --exact          require the result to be equal to the example's result
  --json           print the outcomes as JSON
${ownToolFlags}
An example passes if the call is successful and its result matches response.json.
The tools really run: write examples that are safe to run many times.
Exits with 1 if an example failed or none was run.
`,
  },
  new: {
    usage: "NAME [--dir DIR]",
    summary: "Creates the folder of a new tool, ready to run.",
    details: `  --dir DIR        the folder to create it in (default: my-tools)
`,
  },
  key: {
    usage: "",
    summary: "Creates an API key and prints it with its sha256.",
    details: "",
  },
  health: {
    usage: "[flags of serve]",
    summary: "Checks whether the running service is ready.",
    details: `The command has the flags and variables of "toolhost serve", and connects to the address that they set. Exits with 0 if the service is ready, else 1.
`,
  },
} as const satisfies Record<string, CommandHelp>;

export const commandNames = Object.keys(commands) as (keyof typeof commands)[];

/** The output of `toolhost NAME --help`. */
export function commandHelp(name: keyof typeof commands): string {
  const { usage, summary, details }: CommandHelp = commands[name];
  return `${summary}\n\n  ${["toolhost", name, usage].filter(Boolean).join(" ")}\n${details === "" ? "" : `\n${details}`}`;
}

/** The output of `toolhost help`. */
export const helpText = `Toolhost lists and runs tools for LLM agents, over HTTP.

${Object.entries(commands)
  .map(([name, { summary }]) => `  toolhost ${name.padEnd(8)} ${summary}`)
  .join("\n")}

"toolhost help COMMAND" shows the flags of a command.

${environment}
docs/configuration.md describes all settings and the configuration file.
`;

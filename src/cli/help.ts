export const helpText = `toolhost: lists and runs tools for LLM agents, over HTTP

  toolhost serve [--config FILE] [--host H] [--port P] [--unix-socket PATH] [--tools DIR]… [--no-bundled]
                 [--log-level LEVEL] [--print-config]
      Starts the service. With --print-config it only shows what it is configured to be, secrets masked.
  toolhost list [--url URL] [--config FILE] [--tools DIR]… [--no-bundled] [--json]
      Lists the tools: of this machine, or of a running service.
  toolhost call NAME ['{"arguments": "as JSON"}'] [--url URL] [--config FILE] [--tools DIR]… [--no-bundled]
      Runs a tool and prints its outcome. Exits 1 where it is an error.
  toolhost check [--format F,F]… [--strict] [--tool NAME]… [--config FILE] [--tools DIR]… [--no-bundled] [--json]
      Tells what the tools lose in each provider's words; with --strict also where it is asked to enforce their schemas.
      Exits 1 where a tool is left out of a format, or was not loaded.
  toolhost new NAME [--dir DIR]
      Writes the folder of a new tool, ready to run.
  toolhost health [the flags of serve]
      Asks the service of this configuration whether it is ready. Exits 1 where it is not.
  toolhost key
      Makes an API key and prints its sha256.

toolhost.yaml in the working directory is read where it is there; --config or TOOLHOST_CONFIG names another.

Environment: HOST, PORT, UNIX_SOCKET, TOOLHOST_CONFIG, TOOLHOST_TOOLS, TOOLHOST_BUNDLED, TOOLHOST_API_KEYS (with --url:
the first of them is sent), TOOLHOST_EGRESS_ALLOW, LOG_LEVEL, SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS.
docs/configuration.md tells of them all, and of the file.
`;

export const helpText = `toolhost: lists and runs tools for LLM agents, over HTTP

  toolhost serve [--host H] [--port P] [--unix-socket PATH] [--tools DIR]… [--no-bundled] [--log-level LEVEL]
      Starts the service.
  toolhost list [--url URL] [--tools DIR]… [--json]
      Lists the tools: of this machine, or of a running service.
  toolhost call NAME ['{"arguments": "as JSON"}'] [--url URL] [--tools DIR]…
      Runs a tool and prints its outcome. Exits 1 where it is an error.
  toolhost new NAME [--dir DIR]
      Writes the folder of a new tool, ready to run.
  toolhost health [the flags of serve]
      Asks the service of this configuration whether it is ready. Exits 1 where it is not.
  toolhost key
      Makes an API key and prints its sha256.

Environment: HOST, PORT, UNIX_SOCKET, TOOLHOST_TOOLS, TOOLHOST_BUNDLED, TOOLHOST_API_KEYS (with --url: the first of
them is sent), LOG_LEVEL, SHUTDOWN_DELAY_MS, SHUTDOWN_TIMEOUT_MS. The README has them all.
`;

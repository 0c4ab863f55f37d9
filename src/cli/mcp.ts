import { ConfigError, throwProblems } from "../config/config-error.ts";
import { startReading } from "../config/environment.ts";
import { parseFlags, toolFlags, type ToolFlags } from "../config/flags.ts";
import { readLogLevel } from "../config/read-log-level.ts";
import { readToolConfig } from "../config/read-tools.ts";
import type { AnswerRequest, LineServing } from "../mcp/stdio/serve-lines.ts";
import { serveLines } from "../mcp/stdio/serve-lines.ts";
import { parseUrl } from "../net/parse-url.ts";
import { keepRunning, outliveFaults } from "../service/process.ts";
import { createServiceLog, type ServiceLog } from "../telemetry/log.ts";
import { boundOutput } from "../service/output-log.ts";
import type { Io } from "./io.ts";

/** How long the first list waits for sources that are not of this machine. */
const patienceMs = 30_000;
/** How long the end waits for the sources to close. */
const closeMs = 2000;
const maxForwardedBytes = 16_777_216;

/** `toolhost mcp`: serves the client that started it, until its stdin ends. It listens nowhere. */
export async function mcp(args: readonly string[], io: Io): Promise<number> {
  const { values } = parseFlags({
    args: [...args],
    options: { ...toolFlags, url: { type: "string" }, "log-level": { type: "string" } },
  });
  const reading = startReading(io.env);
  const logLevel = readLogLevel(reading, values["log-level"]);
  throwProblems(reading.problems);
  const ending = endOnSignals();
  if (values.url !== undefined) {
    const answer = await forwardTo(values.url, io);
    await serveLines(io.chunks(), { answer, write: io.out, maxLineBytes: maxForwardedBytes, signal: ending });
    return 0;
  }
  const log = createServiceLog(logLevel);
  process.on("exit", log.end);
  outliveFaults(log.log);
  keepRunning();
  const { ready, ...own } = await openLocal(values, log, io);
  const serving = serveLines(io.chunks(), { ...own, write: io.out, signal: ending });
  // A configuration that cannot be put in force ends it.
  await Promise.race([serving, ready.then(() => serving)]);
  return 0;
}

async function openLocal(
  flags: ToolFlags,
  serviceLog: ServiceLog,
  { env, cwd, onEnd }: Io,
): Promise<Pick<LineServing, "answer" | "maxLineBytes"> & { readonly ready: Promise<void> }> {
  const config = await readToolConfig(flags, env, cwd);
  const [{ createTools }, { createSourceLog }, { createLocalAnswer }] = await Promise.all([
    import("../service/tools.ts"),
    import("../service/source-log.ts"),
    import("../mcp/stdio/local.ts"),
  ]);
  const { log } = serviceLog;
  const tools = createTools({
    env,
    observer: { onCall: serviceLog.call, onToolLog: serviceLog.tool },
    onFault: (error) => log.error({ err: error }, "fault"),
    onOutput: boundOutput((source, line) => log.info({ source, line }, "output")),
    onUpdate: (source) => sourceLog.updated(source, tools.status()),
  });
  const sourceLog = createSourceLog(log, tools.registry);
  onEnd(() => tools.close(closeMs));
  const ready = tools.load(config, { waitsFor: "all", patienceMs }).then(() => sourceLog.loaded(tools.status()));
  const answer = createLocalAnswer(tools.registry, tools.startCall, ready);
  return { answer, maxLineBytes: config.limits.bodyBytes, ready };
}

async function forwardTo(url: string, { env }: Io): Promise<AnswerRequest> {
  const base = /^https?:\/\//i.test(url) ? parseUrl(url) : undefined;
  if (base === undefined || base.username !== "" || base.password !== "") {
    throw new ConfigError(
      "--url must be the URL of a running Toolhost, such as http://127.0.0.1:8080, without a password",
    );
  }
  const key = env["TOOLHOST_API_KEY"] || undefined;
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new ConfigError("TOOLHOST_API_KEY contains characters that a header cannot contain");
  }
  const { createBridge } = await import("../mcp/stdio/bridge.ts");
  return createBridge(`${base.origin}${base.pathname.replace(/(?:\/mcp)?\/*$/, "")}/mcp${base.search}`, key);
}

/** Aborts when the process is to end. */
function endOnSignals(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

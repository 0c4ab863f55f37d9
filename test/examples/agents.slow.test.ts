import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Service, service } from "../cli/toolhost.ts";
import { dig, objectsIn } from "../providers/conversation.ts";
import { type StandIn, startProvider } from "../providers/start-provider.ts";
import { refusal } from "../providers/turns.ts";
import { type AgentDialect, says } from "./agent-turns.ts";
import { type Ended, runToEnd } from "./run-program.ts";

const tsx = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
const stripsTypes = Boolean((process.features as { typescript?: unknown }).typescript);

/** How each example is sent to a stand-in, and which variable opens the real provider. */
const all: Readonly<Record<string, { dialect: AgentDialect; env: (url: string) => Record<string, string> }>> = {
  "gemini-weather": { dialect: "gemini", env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "k" }) },
  "openai-assistant": { dialect: "openai", env: openaiEnv },
  "openai-by-hand": { dialect: "openai", env: openaiEnv },
  "anthropic-conversation": {
    dialect: "anthropic",
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" }),
  },
  "ollama-local": { dialect: "ollama", env: (url) => ({ OLLAMA_BASE_URL: url }) },
};

function openaiEnv(url: string): Record<string, string> {
  return { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "k" };
}

describe("gemini-weather", () => {
  const ask = (...cities: readonly string[]) =>
    says("gemini", "", ...cities.map((city) => ["get_weather", { city }] as const));

  it("asks for two cities at once, within 3 seconds, and explains what the weather service did wrong", async () => {
    const weather = await startWeather();
    const provider = await standIn("gemini", [
      ask("Oslo", "Lima"),
      says("gemini", "It is warmer in Lima."),
      ask("Atlantis"),
      says("gemini", "The weather service failed, so I do not know."),
      ask("Limbo"),
      says("gemini", "The weather service was too slow."),
    ]);
    const questions = ["Oslo or Lima?", "And Atlantis?", "And Limbo?"];
    const ended = await run("gemini-weather", provider, { WEATHER_BASE_URL: weather.url }, questions);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const [oslo, lima, answer, failed, explained, late, excused] = ended.stdout.trim().split("\n");
    expect([oslo, lima]).toEqual(['get_weather: {"weather":"Oslo: +4°C"}', 'get_weather: {"weather":"Lima: +19°C"}']);
    expect(failed).toContain('"code":"upstream_failed"');
    expect(failed).toContain("status 503");
    expect(late).toContain('"code":"timeout"');
    expect(late).toContain("3000 ms");
    expect([answer, explained, excused]).toEqual([
      "It is warmer in Lima.",
      "The weather service failed, so I do not know.",
      "The weather service was too slow.",
    ]);
    expect(weather.mostAtOnce()).toBe(2);

    const results = objectsIn(dig(provider.requests[1]?.body, "contents", 2, "parts"));
    expect(results.map((part) => dig(part, "functionResponse", "name"))).toEqual(["get_weather", "get_weather"]);
    expect(JSON.stringify(dig(provider.requests[3]?.body, "contents"))).toContain("status 503");
  });
});

describe("openai-assistant", () => {
  const search = ["web_search", { query: "Tour de France winner" }] as const;

  it("streams its text, searches, shows an effect, and ends with the third round", async () => {
    const toolhost = await toolhostWithSearch();
    const provider = await standIn("openai", [
      says("openai", "I will look it up. ", search),
      says("openai", "", ["show_effect", { effect: "confetti" }]),
      says("openai", "Ada Ek won."),
    ]);
    const ended = await run("openai-assistant", provider, { TOOLHOST_URL: toolhost.url, TOOLHOST_API_KEY: "secret" });
    expect(ended).toEqual({
      code: 0,
      stdout: [
        "I will look it up. Ada Ek won.",
        'called web_search {"query":"Tour de France winner"}',
        'called show_effect {"effect":"confetti"}',
        "3 rounds, 252 tokens read, 93 written\n",
      ].join("\n"),
      stderr: "",
    });
    expect(provider.requests.every(({ isStreamed }) => isStreamed)).toBe(true);
    expect(provider.requests.map(({ body }) => body["tool_choice"] ?? "auto")).toEqual(["auto", "auto", "none"]);
    const [first, second, third] = provider.requests.map(({ body }) => JSON.stringify(body));
    expect(first).toContain('"name":"web_search"');
    expect(second).toContain("Ada Ek wins the Tour");
    expect(third).toContain("duration_ms");
  });

  it("fails where the model calls even in its last round", async () => {
    const toolhost = await toolhostWithSearch();
    const provider = await standIn(
      "openai",
      [1, 2, 3].map(() => says("openai", "", search)),
    );
    const ended = await run("openai-assistant", provider, { TOOLHOST_URL: toolhost.url, TOOLHOST_API_KEY: "secret" });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("no complete answer: tool_calls");
  });

  it("fails in words where the key is wrong", async () => {
    const toolhost = await toolhostWithSearch();
    const provider = await standIn("openai", []);
    const ended = await run("openai-assistant", provider, { TOOLHOST_URL: toolhost.url, TOOLHOST_API_KEY: "other" });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("answered 401");
    expect(provider.requests).toEqual([]);
  });
});

describe("anthropic-conversation", () => {
  it("keeps what was said until it is reset, and its tools keep their notes beyond that", async () => {
    const provider = await standIn("anthropic", [
      says("anthropic", "", ["remember", { fact: "Is named Ada." }], ["remember", { fact: "Likes green." }]),
      says("anthropic", "Hello, Ada."),
      says("anthropic", "Green."),
      says("anthropic", "Let me see.", ["recall", {}]),
      says("anthropic", "You are Ada."),
    ]);
    const ended = await run("anthropic-conversation", provider);
    expect(ended).toEqual({
      code: 0,
      stdout: [
        "> I am Ada, and my favourite colour is green.",
        'called remember {"fact":"Is named Ada."}',
        'called remember {"fact":"Likes green."}',
        "Hello, Ada.",
        "(6 messages)",
        "> Which colour do I like?",
        "Green.",
        "(8 messages)",
        "(reset)",
        "> Who am I?",
        "called recall {}",
        "You are Ada.",
        "(5 messages)\n",
      ].join("\n"),
      stderr: "",
    });
    const sent = provider.requests.map(({ body }) => objectsIn(body["messages"]).length);
    expect(sent).toEqual([1, 3, 5, 1, 3]);
    expect(JSON.stringify(provider.requests[4]?.body)).toContain("Likes green.");
  });
});

describe("openai-by-hand", () => {
  it("changes one call, leaves another out, and goes on until there is an answer", async () => {
    const provider = await standIn("openai", [
      says("openai", "", ["refund_order", { order: 7, euros: 80 }], ["delete_order", { order: 7 }]),
      says("openai", "", ["refund_order", { order: 8, euros: 1 }]),
      says("openai", "I refunded 50 euros. The order was not deleted."),
    ]);
    const ended = await run("openai-by-hand", provider);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const lines = ended.stdout.trim().split("\n");
    expect(lines.map((line) => /^\w+(?=:)/.exec(line)?.[0] ?? "calls")).toEqual(
      "user assistant calls tool tool assistant calls tool assistant".split(" "),
    );
    expect(lines[3]).toBe('tool: {"order":7,"refunded":50}');
    expect(lines[4]).toContain('"code":"cancelled"');
    expect(lines[7]).toContain("There is no order 8.");
    expect(lines[8]).toBe("assistant: I refunded 50 euros. The order was not deleted.");
  });
});

describe("ollama-local", () => {
  it("calls a tool of the Toolhost and one of its own", async () => {
    const toolhost = await service();
    const provider = await standIn("ollama", [
      says("ollama", "", ["get_current_time", { timezone: "Asia/Tokyo" }], ["get_memory", {}]),
      says("ollama", "It is late in Tokyo, and half of the memory is free."),
    ]);
    const ended = await run("ollama-local", provider, { TOOLHOST_URL: toolhost.url });
    expect(ended).toEqual({
      code: 0,
      stdout: [
        'called get_current_time {"timezone":"Asia/Tokyo"}',
        "called get_memory {}",
        "It is late in Tokyo, and half of the memory is free.\n",
      ].join("\n"),
      stderr: "",
    });
    const told = JSON.stringify(provider.requests[1]?.body["messages"]);
    expect(told).toContain("Asia/Tokyo");
    expect(told).toContain("free_bytes");
  });
});

describe.each(Object.entries(all))("%s", (name, { dialect }) => {
  it("fails with the provider's words where that refuses", async () => {
    const toolhost = await service();
    const provider = await standIn(dialect, [refusal(400, { message: "Not today." })]);
    const ended = await run(name, provider, { TOOLHOST_URL: toolhost.url });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("Not today.");
  });

  if (!stripsTypes) console.info(`skipped: ${name} by Node alone, because this one does not strip types`);
  it.skipIf(!stripsTypes)("runs by Node alone", async () => {
    const toolhost = await service();
    const turns = [1, 2, 3].map((turn) => says(dialect, `Answer ${turn}.`));
    const provider = await standIn(dialect, turns);
    const ended = await run(name, provider, { TOOLHOST_URL: toolhost.url }, [], [process.execPath]);
    expect(ended.stdout).toContain("Answer 1.");
    expect(ended.code).toBe(0);
  });

  const { keys, missing } = liveKeys(dialect);
  if (missing !== "") console.info(`skipped: ${name} against the real provider, because ${missing} is not set`);
  it.skipIf(missing !== "")("runs against the real provider", { timeout: 180_000 }, async () => {
    const toolhost = await service([], { env: tavily() });
    const ended = await runToEnd(command(name), { ...keys, TOOLHOST_URL: toolhost.url });
    console.info(ended.stdout);
    expect(ended.code, ended.stderr).toBe(0);
  });
});

async function standIn(dialect: AgentDialect, turns: readonly unknown[]): Promise<StandIn> {
  const provider = await startProvider({ dialect, turns });
  onTestFinished(async () => {
    await provider.stop();
    expect(provider.requests.flatMap(({ breaches }) => breaches)).toEqual([]);
  });
  return provider;
}

function command(name: string, questions: readonly string[] = [], by = [process.execPath, tsx]): string[] {
  return [...by, `examples/agent/${name}.ts`, ...questions];
}

async function run(
  name: string,
  provider: StandIn,
  more: Record<string, string> = {},
  questions: readonly string[] = [],
  by?: string[],
): Promise<Ended> {
  return runToEnd(command(name, questions, by), { ...all[name]!.env(provider.url), ...more });
}

/** The environment of a run against the real provider, or what it lacks. */
function liveKeys(dialect: AgentDialect): { keys: Record<string, string>; missing: string } {
  const mine = Object.entries(process.env).filter(([name]) => name.startsWith(`${dialect.toUpperCase()}_`));
  const needed = dialect === "ollama" ? ["LIVE", "OLLAMA_BASE_URL"] : ["LIVE", `${dialect.toUpperCase()}_API_KEY`];
  const missing = needed.filter((name) => !process.env[name]).join(" or ");
  return { keys: Object.fromEntries(mine) as Record<string, string>, missing };
}

function tavily(): Record<string, string> {
  const key = process.env["TAVILY_API_KEY"];
  return key === undefined ? {} : { TAVILY_API_KEY: key };
}

async function toolhostWithSearch(): Promise<Service> {
  const found = {
    title: "Ada Ek wins the Tour",
    url: "https://news.example/tour",
    content: "By two minutes.",
    score: 1,
  };
  const { url } = await listen((_, response) => response.end(JSON.stringify({ results: [found] })));
  const env = { TAVILY_API_KEY: "t", TAVILY_BASE_URL: url, TOOLHOST_API_KEYS: "secret" };
  return service([], { env: { ...env, TOOLHOST_EGRESS_ALLOW: new URL(url).host } });
}

/** Knows the weather of Oslo and of Lima, once it is asked for both; fails for Atlantis, and leaves Limbo waiting. */
async function startWeather(): Promise<{ url: string; mostAtOnce: () => number }> {
  const waiting: [ServerResponse, string][] = [];
  let most = 0;
  const weather: Readonly<Record<string, string>> = { "/Oslo": "Oslo: +4°C", "/Lima": "Lima: +19°C" };
  const { url } = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (pathname === "/Atlantis") response.writeHead(503).end();
    const known = weather[pathname];
    if (known === undefined) return;
    waiting.push([response, known]);
    most = Math.max(most, waiting.length);
    if (waiting.length === 2) waiting.splice(0).forEach(([held, text]) => held.end(`${text}\n`));
  });
  return { url, mostAtOnce: () => most };
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string }> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

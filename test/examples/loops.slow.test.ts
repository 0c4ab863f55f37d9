import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { service } from "../cli/toolhost.ts";
import { dig } from "../providers/conversation.ts";
import { type StandIn, startProvider } from "../providers/start-provider.ts";
import { refusal } from "../providers/turns.ts";
import { type RecordedDialect, recordedText } from "../dialects/recorded/recorded-turn.ts";
import { type Ended, runToEnd } from "./run-program.ts";

const examples = fileURLToPath(new URL("../../examples/", import.meta.url));
const tools = fileURLToPath(new URL("tools", import.meta.url));
const tsx = fileURLToPath(new URL("../../node_modules/tsx/dist/cli.mjs", import.meta.url));
const question = 'What is the weather in Oslo and "Lima"?';
const answer = "It is 4 degrees in Oslo.\n";

interface Example {
  readonly name: string;
  readonly dialect: RecordedDialect;
  /** What runs it, and what must be there for that. */
  readonly command: readonly string[];
  readonly needs: readonly string[];
  /** The environment that sends it to a stand-in. */
  readonly env: (url: string) => Record<string, string>;
}

const openai = (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: "k" });
const gemini = (url: string) => ({ GEMINI_BASE_URL: url, GEMINI_API_KEY: "k" });
const python = ["python3", `${examples}loop.py`, question];
const typescript = [`${examples}loop.ts`, question];

const all: readonly Example[] = [
  {
    name: "loop.sh with openai",
    dialect: "openai",
    command: ["sh", `${examples}loop.sh`, question],
    needs: ["curl"],
    env: openai,
  },
  {
    name: "loop.py with anthropic",
    dialect: "anthropic",
    command: python,
    needs: ["python3"],
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "k" }),
  },
  { name: "loop.py with openai", dialect: "openai", command: [...python, "openai"], needs: ["python3"], env: openai },
  {
    name: "loop.py with ollama",
    dialect: "ollama",
    command: [...python, "ollama"],
    needs: ["python3"],
    env: (url) => ({ OLLAMA_BASE_URL: url }),
  },
  {
    name: "loop.ts with gemini, by tsx",
    dialect: "gemini",
    command: [process.execPath, tsx, ...typescript],
    needs: [],
    env: gemini,
  },
  {
    name: "loop.ts with gemini, by Node alone",
    dialect: "gemini",
    command: [process.execPath, ...typescript],
    needs: ["type stripping"],
    env: gemini,
  },
];

/** What a model says before it comes to an answer: it is wrong, then it calls twice at once; and what else its provider does. */
const turns: Readonly<Record<RecordedDialect, readonly string[]>> = {
  openai: [wrong("openai", "text-and-call"), recordedText("openai", "two-calls"), recordedText("openai", "text")],
  "openai-responses": [],
  anthropic: [
    recordedText("anthropic", "pause"),
    wrong("anthropic", "text-and-call"),
    recordedText("anthropic", "two-calls"),
    recordedText("anthropic", "text"),
  ],
  gemini: [
    recordedText("gemini", "malformed"),
    wrong("gemini", "thought-and-call"),
    recordedText("gemini", "two-calls-one-signature"),
    recordedText("gemini", "text"),
  ],
  ollama: [wrong("ollama", "text-and-call"), recordedText("ollama", "two-calls"), recordedText("ollama", "text")],
};

/** A recorded turn whose argument has a name that the tool does not know. */
function wrong(dialect: RecordedDialect, name: string): string {
  return recordedText(dialect, name).replaceAll("city", "town");
}

describe.each(all)("$name", ({ name, dialect, command, needs, env }) => {
  const missing = needs.filter((need) => !isThere(need));
  if (missing.length > 0) console.info(`skipped: ${name}, because there is no ${missing.join(", no ")} here`);

  const run = async (provider: StandIn, toolhost: string): Promise<Ended> => {
    onTestFinished(() => provider.stop());
    return runToEnd(command, { ...env(provider.url), TOOLHOST_URL: toolhost });
  };

  it.skipIf(missing.length > 0)("goes on until there is an answer, past what the model does wrong", async () => {
    const { url } = await service([`--tools=${tools}`], { env: { TOOLHOST_BUNDLED: "off" } });
    const provider = await startProvider({ dialect, turns: turns[dialect].map((turn) => JSON.parse(turn) as unknown) });
    const ended = await run(provider, url);
    expect(provider.requests.flatMap(({ breaches }) => breaches)).toEqual([]);
    const told = dialect === "gemini" ? expect.stringContaining("MALFORMED_FUNCTION_CALL") : "";
    expect(ended).toEqual({ code: 0, stdout: answer, stderr: told });
    expect(provider.requests).toHaveLength(turns[dialect].length);
    expect(JSON.stringify(provider.requests[0]?.body)).toContain(JSON.stringify(question));
    const [asked, repaired] = provider.requests.slice(-2).map(({ body }) => JSON.stringify(lastMessages(body)));
    expect(asked).toContain("invalid_arguments");
    expect(repaired).not.toContain("invalid_arguments");
    expect(repaired).toMatch(/4 degrees in Oslo.+(?:19 degrees in Lima|noon)/);
  });

  it.skipIf(missing.length > 0)("fails with the provider's words where that refuses", async () => {
    const { url } = await service([`--tools=${tools}`]);
    const provider = await startProvider({ dialect, turns: [] });
    const { code, stdout, stderr } = await run(provider, url);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("No recorded turn is left.");
  });

  it.skipIf(missing.length > 0)("ends where the model never does", async () => {
    const { url } = await service([`--tools=${tools}`]);
    const text = recordedText(dialect, "no-arguments");
    const endless = Array.from({ length: 11 }, (_, turn) => JSON.parse(text.replace(callId, `$1_${turn}"`)) as unknown);
    const provider = await startProvider({ dialect, turns: endless });
    const { code, stdout, stderr } = await run(provider, url);
    expect({ code, stdout, requests: provider.requests.length }).toEqual({ code: 1, stdout: "", requests: 10 });
    expect(stderr).toContain("no answer in 10 turns");
  });
});

describe.skipIf(!isThere("python3"))("loop.py", () => {
  it("waits and asks again where the provider is busy", async () => {
    const { url } = await service([`--tools=${tools}`]);
    const busy = [refusal(429, { headers: { "retry-after": "0" } }), refusal(503, { headers: { "retry-after": "0" } })];
    const turn = JSON.parse(recordedText("openai", "text")) as unknown;
    const provider = await startProvider({ dialect: "openai", turns: [...busy, turn] });
    onTestFinished(() => provider.stop());
    const ended = await runToEnd([...python, "openai"], { ...openai(provider.url), TOOLHOST_URL: url });
    expect(ended).toEqual({ code: 0, stdout: answer, stderr: "" });
    expect(provider.requests).toHaveLength(3);
  });

  it("gives up where the provider stays busy", async () => {
    const { url } = await service([`--tools=${tools}`]);
    const busy = Array.from({ length: 5 }, () => refusal(503, { headers: { "retry-after": "0" } }));
    const provider = await startProvider({ dialect: "openai", turns: busy });
    onTestFinished(() => provider.stop());
    const ended = await runToEnd([...python, "openai"], { ...openai(provider.url), TOOLHOST_URL: url });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("answered 503") });
    expect(provider.requests).toHaveLength(4);
  });

  it("reports a Toolhost that is not there, and a provider that it does not know, without a traceback", async () => {
    // Port 9 is discard: nothing listens there.
    const absent = await runToEnd(python, { TOOLHOST_URL: "http://127.0.0.1:9" });
    expect(absent).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") });
    const unknown = await runToEnd([...python, "bogus"], {});
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("invalid choice: 'bogus'") });
    for (const { stderr } of [absent, unknown]) expect(stderr).not.toContain("Traceback");
  });
});

const callId = /("id": "(?:call|toolu)_\w+)"/;

/** What the last turn of a conversation was answered with. */
function lastMessages(body: unknown): unknown {
  const messages = (dig(body, "messages") ?? dig(body, "contents")) as unknown[];
  const lastOfModel = messages.findLastIndex((message) => /assistant|model/.test(String(dig(message, "role"))));
  return messages.slice(lastOfModel + 1);
}

function isThere(need: string): boolean {
  if (need === "type stripping") return Boolean((process.features as { typescript?: unknown }).typescript);
  try {
    execFileSync(need, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

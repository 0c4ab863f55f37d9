import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { exchangeText, requestText } from "../node/raw-socket.ts";

/** `MEASURED_NODE` is the path of another binary of Node that runs the measured service. */
const execPath = process.env["MEASURED_NODE"] ?? process.execPath;
const bytes = 16_777_216;
const longestMs = 100;
const peakMb = 300;

const listOf = (item: string, count: number): string => `[${`${item},`.repeat(count - 1)}${item}]`;
const filled = (item: string): string => listOf(item, Math.floor((bytes - 200) / (item.length + 1)));
const keys = (count: number, length: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${String(index).padEnd(length, "k")}":1`).join(",")}}`;

/** Over 200,000 values. */
const refused: Readonly<Record<string, () => string>> = {
  "empty objects": () => filled("{}"),
  "lists in lists": () => filled("[[]]"),
  numbers: () => filled("1"),
  "empty strings": () => filled('""'),
  "spaces between": () => filled("{  } \n"),
  "one key over and over": () => `{${'"a":1,'.repeat(2_700_000)}"a":1}`,
  "many keys": () => keys(1_000_000, 5),
};

/** Whatever a reply may have beside its calls. */
const taken: Readonly<Record<string, () => string>> = {
  "199,000 small values": () => listOf("{}", 199_000),
  "strings of 80 characters": () => listOf(`"${"x".repeat(78)}"`, 199_000),
  "numbers of 80 digits": () => listOf(`0.${"123456789".repeat(9)}`, 190_000),
  "keys of 70 characters": () => keys(190_000, 70),
  "short keys": () => keys(190_000, 6),
  nests: () => listOf("[".repeat(50) + "]".repeat(50), 3_900),
  spaces: () => `[${" ".repeat(bytes - 200)}]`,
  "one long string": () => `"${"x".repeat(bytes - 200)}"`,
  escapes: () => `"${"\\u0041".repeat((bytes - 200) / 6)}"`,
  "line ends": () => `"${"\\n".repeat((bytes - 200) / 2)}"`,
  "two bytes a character": () => `"${"é".repeat((bytes - 200) / 2)}"`,
  "one wide character in 8 MiB": () => `"語${"x".repeat(bytes / 2)}"`,
};
/** The text of a call's arguments: what cannot be read is found out in the time that anything else takes. */
const argumentTexts: Readonly<Record<string, () => string>> = {
  "a list of numbers": () => filled("1"),
  "a string that does not end": () => `{"a":"${"x".repeat(bytes - 400)}`,
  "empty objects": () => "{}".repeat((bytes - 400) / 2),
  "small objects": () => '{"a":1}'.repeat((bytes - 400) / 9),
  quotes: () => '"'.repeat((bytes - 400) / 2),
  backslashes: () => "\\".repeat((bytes - 400) / 2),
  brackets: () => "[".repeat(bytes - 400),
  "a fence": () => "`".repeat(bytes - 400),
};
const replyWith = (value: string): string =>
  `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"extra":${value}}}]}`;

async function startMeasured(): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const path = fileURLToPath(new URL("../fixtures/measured-server.mjs", import.meta.url));
  const child = fork(path, {
    execPath,
    execArgv: ["--max-old-space-size=256"],
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  const warm = requestText("POST /calls?format=openai&echo=true", { body: replyWith(listOf("[1]", 60_000)) });
  for (let left = 3; left > 0; left--) await exchangeText(port, warm, 10_000);
  await measure(child);
  return { child, port };
}

async function measure(child: ChildProcess): Promise<{ longestMs: number; peakMb: number }> {
  child.send("measure");
  const [measured] = (await once(child, "message")) as [{ longestMs: number; peakMb: number }];
  return measured;
}

/** Sends a body to each path, twice at once, in a new process. */
async function measureOnce(
  paths: readonly string[],
  body: string,
  status: number,
): Promise<{ longestMs: number; peakMb: number }> {
  const { child, port } = await startMeasured();
  for (const path of paths) expect(await sendTwice(port, path, body)).toEqual([status, status]);
  const measured = await measure(child);
  child.kill("SIGKILL");
  return measured;
}

async function sendTwice(port: number, path: string, body: string): Promise<number[]> {
  const request = requestText(`POST ${path}`, { body });
  const answers = await Promise.all([exchangeText(port, request, 60_000), exchangeText(port, request, 60_000)]);
  return answers.map(({ status }) => status);
}

describe("16 MiB, twice at once, in a process with a heap of 256 MiB", () => {
  it.each(Object.entries(refused))(
    "are refused for too many values: %s",
    async (_name, shape) => {
      const paths = ["/calls?format=openai", "/calls", "/tools/tool/invoke"];
      const measured = await measureOnce(paths, shape(), 413);
      expect(measured.longestMs).toBeLessThan(longestMs);
      expect(measured.peakMb).toBeLessThan(peakMb);
    },
    120_000,
  );

  it.each(Object.entries(taken))(
    "are taken: %s",
    async (_name, shape) => {
      const measured = await measureOnce(["/calls?format=openai&echo=true"], replyWith(shape()), 200);
      expect(measured.longestMs).toBeLessThan(longestMs);
      expect(measured.peakMb).toBeLessThan(peakMb);
    },
    120_000,
  );

  it.each(Object.entries(argumentTexts))(
    "are the arguments of a call: %s",
    async (_name, shape) => {
      const call = `{"id":"a","type":"function","function":{"name":"tool","arguments":${JSON.stringify(shape())}}}`;
      const body = `{"role":"assistant","content":null,"tool_calls":[${call}]}`;
      const measured = await measureOnce(["/calls?format=openai"], body, 200);
      expect(measured.longestMs).toBeLessThan(longestMs);
      expect(measured.peakMb).toBeLessThan(peakMb);
    },
    120_000,
  );
});

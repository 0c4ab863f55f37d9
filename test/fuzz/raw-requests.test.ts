import { expect, it } from "vitest";
import { createRandom, type Random } from "../conformance/instances.ts";
import { openSocket } from "../http/node/raw-socket.ts";
import { startService } from "../http/running-service.ts";
import { faultOf } from "./answer-faults.ts";
import { fuzzSeed, fuzzTimeoutMs, isNightly, runsOf, tellFuzzed } from "./fuzz-size.ts";
import { readAnswers, type WireAnswer } from "./http-answers.ts";
import { mutate, pick, segmentsOf } from "./mutations.ts";
import { exchangeRaw } from "./raw-exchange.ts";
import { markPlace, recordings } from "./recordings.ts";

const atOnce = 32;
const closeLimitMs = 5000;
/** The `throw` tool tells of it in its error. */
const secrets = ["secret-of-the-message"];

const markOf = (request: number, part: number): string =>
  `M${request.toString(36).padStart(7, "0")}-${part.toString(36).padStart(5, "0")}`;
const anyMark = /M[0-9a-z]{7}-[0-9a-z]{5}/g;

/** The bytes of one connection: mostly one request, at times some that are sent at once. */
function makeBytes(request: number, random: Random): Buffer {
  const count = random() < 0.8 ? 1 : 2 + Math.floor(random() * 3);
  const parts = Array.from({ length: count }, (_, part) => recorded(request, part, random));
  const sane = Buffer.concat(parts);
  return mutate(sane, random, recorded(request, count, random));
}

function recorded(request: number, part: number, random: Random): Buffer {
  return Buffer.from(pick(recordings, random).replaceAll(markPlace, markOf(request, part)));
}

/**
 * What is wrong with what came back; undefined where nothing is. Answers may be fewer than the requests that were meant,
 * and must be to what was sent here, in order.
 */
function exchangeFaultOf(sent: Buffer, came: Buffer): string | undefined {
  const text = sent.toString("latin1");
  let answers: readonly WireAnswer[];
  try {
    const read = readAnswers(came, { ended: true, mayBeHead: text.includes("HEAD") });
    if (read.left > 0) return `${read.left} bytes that are no answer`;
    answers = read.answers;
  } catch (error) {
    return String(error);
  }
  let at = 0;
  for (const answer of answers) {
    // A stream ends with its client; an answer comes whole.
    const isTorn = answer.isCut && answer.headers["transfer-encoding"] === undefined;
    const fault = isTorn ? "an answer that is cut off" : faultOf(answer, secrets);
    if (fault !== undefined) return fault;
    const id = answer.headers["x-request-id"] ?? "";
    // Ids that the service made are its own; one that has the form of a mark must be a mark that stands here.
    const place = text.indexOf(id, at);
    if (place !== -1) at = place;
    else if (new RegExp(anyMark).test(id)) return `an answer to another request: ${id}`;
    for (const [mark] of (answer.body ?? "").matchAll(anyMark)) {
      if (text.indexOf(mark) === -1) return `an answer that holds another request's ${mark}`;
      if (place !== -1 && text.indexOf(mark, place) === -1) return `an answer that holds an earlier request's ${mark}`;
    }
  }
  return undefined;
}

it(
  "mutated requests get answers of the contract or a closed connection, never another's, and the service lives on",
  async () => {
    const service = await startService({ LOG_LEVEL: "error" });
    const count = runsOf({ commit: 2000, nightly: 100_000 });
    const startedAt = performance.now();
    const faults: string[] = [];
    let next = 0;
    let answered = 0;
    let slowestCloseMs = 0;
    const work = async (): Promise<void> => {
      while (next < count && faults.length < 5) {
        const request = next++;
        // A seed of its own for each: one that fails is made again without those before it.
        const random = createRandom(fuzzSeed * 31 + request);
        const bytes = makeBytes(request, random);
        const { bytes: came, closeMs } = await exchangeRaw(service.port, segmentsOf(bytes, random), closeLimitMs);
        if (came.length > 0) answered++;
        slowestCloseMs = Math.max(slowestCloseMs, closeMs);
        const fault = exchangeFaultOf(bytes, came) ?? (closeMs >= closeLimitMs ? "it did not close" : undefined);
        if (fault !== undefined) faults.push(describeFault(request, fault, bytes, came));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));

    expect(faults.join("\n\n")).toBe("");
    expect(answered).toBeGreaterThan(count / 2);
    const calledAt = performance.now();
    expect(await (await service.call("echo", { a: 1 })).json()).toMatchObject({ status: "ok", result: { a: 1 } });
    expect(performance.now() - calledAt).toBeLessThan(1000);
    await expect
      .poll(async () => (await service.request("/metrics")).text(), { timeout: 5000 })
      .toContain("toolhost_calls_in_flight 0\n");
    expect(service.log).not.toMatch(/"msg":"(?:fault|an error was thrown|a promise rejection was not handled)/);
    service.signal("SIGTERM");
    expect(await service.exited).toBe(0);
    tellFuzzed("mutated raw requests", count, startedAt);
    if (isNightly) console.log(`${answered} were answered; the slowest close took ${slowestCloseMs.toFixed(0)} ms`);
  },
  fuzzTimeoutMs,
);

it.runIf(isNightly)(
  "requests that stop on their way are answered or their connections closed, within the time to read a body",
  async () => {
    const service = await startService({ LOG_LEVEL: "error" });
    const readLimitMs = 15_000;
    const raws = await Promise.all(Array.from({ length: 1000 }, () => openSocket(service.port)));
    for (const [request, { send }] of raws.entries()) {
      const random = createRandom(fuzzSeed * 31 + request);
      const whole = recorded(request, 0, random);
      send(whole.subarray(0, 1 + Math.floor(random() * (whole.length - 1))));
    }
    // Timeouts are looked for every second.
    const waits = raws.map((raw) =>
      Promise.race([raw.closed(readLimitMs + 3000), raw.until((text) => text !== "", readLimitMs + 3000)]),
    );
    const kept = (await Promise.allSettled(waits)).filter(({ status }) => status === "rejected");
    expect(kept).toEqual([]);
    expect(await (await service.call("echo", { a: 1 })).json()).toMatchObject({ status: "ok" });
    raws.forEach(({ socket }) => socket.destroy());
  },
  fuzzTimeoutMs,
);

function describeFault(request: number, fault: string, sent: Buffer, came: Buffer): string {
  const show = (bytes: Buffer): string => JSON.stringify(bytes.toString("latin1").slice(0, 3000));
  return `request ${request} of FUZZ_SEED=${fuzzSeed}: ${fault}\nsent ${show(sent)}\ncame ${show(came)}`;
}

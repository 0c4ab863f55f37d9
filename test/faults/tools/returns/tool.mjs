import { Readable } from "node:stream";

const cycle = {};
cycle.self = cycle;
const boom = () => {
  throw new Error("canary-result");
};
const counted = () =>
  new ReadableStream({ cancel: () => void (globalThis.cancelledStreams = (globalThis.cancelledStreams ?? 0) + 1) });

const ways = {
  undefined: () => undefined,
  function: () => boom,
  symbol: () => Symbol("canary-result"),
  bigint: () => ({ n: 1n }),
  cycle: () => cycle,
  "throwing toJSON": () => ({ toJSON: boom }),
  "throwing proxy": () => new Proxy({}, { ownKeys: boom }),
  map: () => ({ m: new Map([["canary-result", 1]]) }),
  set: () => new Set(["canary-result"]),
  error: () => ({ e: new Error("canary-result") }),
  nan: () => ({ a: NaN }),
  infinity: () => [-Infinity],
  "invalid date": () => ({ at: new Date(NaN) }),
  response: () => new Response(counted()),
  "web stream": () => ({ s: counted() }),
  "node stream": () => Readable.from(["canary-result"]),
  "throwing then": () => Object.defineProperty({}, "then", { enumerable: true, get: boom }),
  "then that never settles": () => ({ then() {} }),
  "then that settles twice": () => ({
    then(resolve, reject) {
      resolve({ first: true });
      resolve({ second: true });
      reject(new Error("canary-result"));
    },
  }),
};

export const tool = {
  name: "returns",
  description: "Returns what no tool should.",
  parameters: { type: "object", properties: { what: { enum: Object.keys(ways) } }, required: ["what"] },
  timeoutMs: 200,
  execute: ({ what }) => ways[what](),
};

import fc from "fast-check";
import { expect, it } from "vitest";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { listenWith } from "../http/listening-app.ts";
import { faultOf } from "./answer-faults.ts";
import { assertFuzzed, fuzzTimeoutMs } from "./fuzz-size.ts";
import { fuzzedTools, secretOfTools } from "./fuzzed-app.ts";
import { createKeepAlive } from "./keep-alive.ts";
import { arePrototypesChanged } from "./prototypes.ts";

const methods = fc.constantFrom(
  ..."GET POST POST POST HEAD OPTIONS PUT PATCH DELETE TRACE PROPFIND M-SEARCH".split(" "),
);
const segments = fc.oneof(
  fc.constantFrom(
    ..."tools echo picky throws invoke calls status metrics livez readyz openapi.json".split(" "),
    ..."__proto__ constructor toString hasOwnProperty prototype %5f%5fproto__ Echo ECHO ech0".split(" "),
    ...". .. %2e%2e %2F %00 %zz % %ff %c0%af %E2%82%AC echo%2Finvoke e%63ho *".split(" "),
    "",
    ..."echo;a=1 :name {name} ~ \\ tools\\echo \xe9 \xff".split(" "),
    "a".repeat(300),
    "%61".repeat(200),
  ),
  fc.webSegment({ size: "small" }),
);
const paths = fc.oneof(
  { weight: 4, arbitrary: fc.array(segments, { maxLength: 5 }).map((parts) => `/${parts.join("/")}`) },
  { weight: 3, arbitrary: segments.map((name) => `/tools/${name}/invoke`) },
  { weight: 2, arbitrary: segments.map((name) => `/tools/${name}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ..."* // http://127.0.0.1/tools https://evil.example/tools/echo/invoke http:// /tools#x /#".split(" "),
      ..."//evil.example/tools http://[::1 http://a:99999/ ftp://x/ http://user:pw@127.0.0.1/livez".split(" "),
    ),
  },
);
const queryParts = fc.tuple(
  fc.constantFrom(
    ..."timeoutMs repair hash names tags source q limit format strict schema echo".split(" "),
    ..."timeoutms __proto__ constructor %5f % %ff a[b] timeoutMs[] q+ names%00".split(" "),
    "",
    "\xe9",
  ),
  fc.constantFrom("=", "=", "=", "", "=="),
  fc.oneof(
    fc.constantFrom(
      ..."1 0 -1 1e3 1.5 999999999999999 true false TRUE echo echo,picky".split(" "),
      "9".repeat(400),
      ..."sha256:0 openai toolhost anthropic , __proto__ %00 % %zz".split(" "),
      `sha256:${"0".repeat(64)}`,
      ..."%ff a+b local a%2Cb NaN Infinity 0x10".split(" "),
      "\xe9",
      "",
      "x".repeat(2000),
    ),
    fc.webQueryParameters({ size: "small" }),
  ),
);
const queries = fc
  .array(queryParts, { maxLength: 4 })
  .map((parts) => (parts.length === 0 ? "" : `?${parts.map((part) => part.join("")).join("&")}`));

it(
  "any method, path and query get an answer of the contract",
  async () => {
    const { port } = await listenWith(fuzzedTools, { metrics: createMetrics(() => 0).text });
    const connection = createKeepAlive(port);
    const asked = fc.asyncProperty(methods, paths, queries, async (method, path, query) => {
      const line = `${method} ${path}${query} HTTP/1.1`;
      const request = `${line}\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`;
      const [answer] = await connection.exchange([Buffer.from(request, "latin1")]);
      expect(faultOf(answer!, [secretOfTools]), line).toBe(undefined);
    });
    await assertFuzzed("targets", asked, { commit: 1000, nightly: 50_000 });
    connection.close();
    expect(arePrototypesChanged()).toBe(false);
  },
  fuzzTimeoutMs,
);

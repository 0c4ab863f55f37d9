/** Where a recorded request carries its mark, which its answer must carry back: 14 characters in place of these. */
export const markPlace = "MARK-----MARK!";

const host = "Host: 127.0.0.1\r\n";
const id = `X-Request-Id: ${markPlace}\r\n`;
const json = "Content-Type: application/json\r\n";

/** Requests as clients send them, byte for byte. Each is answered on a connection of its own or one that is shared. */
export const recordings: readonly string[] = [
  post("/tools/echo/invoke", `{"mark":"${markPlace}"}`),
  post(
    "/tools/echo/invoke",
    `{"mark":"${markPlace}","list":[1,2.5,-0,1e3],"text":"é\\u00e9😀","inner":{"a":null,"b":[{}]}}`,
  ),
  post("/tools/echo/invoke?timeoutMs=500&repair=true", `{"mark":"${markPlace}"}`),
  post(`/tools/echo/invoke?hash=sha256:${"0".repeat(64)}`, "{}"),
  post("/tools/hold/invoke", '{"ms":2}'),
  post("/tools/hold/invoke?repair=true", '{"ms":"2","progress":null}'),
  post("/tools/hold/invoke", '{"ms":"soon"}'),
  post("/tools/throw/invoke", '{"what":"error"}'),
  post("/tools/eho/invoke", "{}"),
  post(
    "/calls",
    `{"calls":[{"id":"${markPlace}","name":"echo","arguments":{"mark":1}},{"name":"hold","arguments":{"ms":1}}]}`,
  ),
  post("/calls?names=echo", '{"calls":[{"name":"hold","arguments":{"ms":1}},{"name":5},7]}'),
  post("/tools/hold/invoke", '{"ms":3,"progress":true}', "Accept: text/event-stream\r\n"),
  post(
    "/tools/echo/invoke",
    `{"mark":"${markPlace}"}`,
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n",
  ),
  post(
    "/tools/echo/invoke",
    `{"mark":"${markPlace}"}`,
    "Toolhost-Session: a session\r\nUser-Agent: fuzz/1\r\nAccept: */*\r\n",
  ),
  post("/tools/echo/invoke", `{"mark":"${markPlace}"}`, "Expect: 100-continue\r\n"),
  post("/tools/echo/invoke", "\ufeff{}"),
  post("/tools/echo/invoke", "{}", "Content-Encoding: gzip\r\n"),
  post("/tools/echo/invoke", "{}", "Authorization: Bearer key\r\nOrigin: http://127.0.0.1\r\n"),
  `POST /tools/echo/invoke HTTP/1.1\r\n${host}${id}Content-Length: 0\r\n\r\n`,
  `POST /tools/echo/invoke HTTP/1.1\r\n${host}${id}\r\n`,
  chunked([`{"mark":"${markPlace}"`, ',"b":', '"x"}']),
  chunked(["{", '"a"', ":", "1", "}"], ";name=value"),
  chunked([`{"mark":"${markPlace}"}`], "", "Digest: none\r\n"),
  `POST /tools/echo/invoke HTTP/1.0\r\n${host}${id}${json}Content-Length: 2\r\n\r\n{}`,
  `POST /tools/echo/invoke HTTP/1.1\r\n${host}${id}${json}Connection: close\r\nContent-Length: 2\r\n\r\n{}`,
  get("/tools"),
  get("/tools?q=echo&limit=3"),
  get("/tools", "Accept-Encoding: gzip, br\r\n"),
  get("/tools", 'If-None-Match: "x", W/"y"\r\n'),
  get("/tools/echo"),
  get("/status"),
  get("/openapi.json"),
  get("/metrics"),
  get("/livez"),
  get("/nowhere/%e2%82%ac?a=%zz"),
  get("http://127.0.0.1/readyz"),
  `HEAD /tools HTTP/1.1\r\n${host}${id}\r\n`,
  `OPTIONS /calls HTTP/1.1\r\n${host}${id}Origin: http://127.0.0.1\r\nAccess-Control-Request-Method: POST\r\n\r\n`,
  `DELETE /tools/echo HTTP/1.1\r\n${host}${id}\r\n`,
  `GET /livez HTTP/1.1\r\n${host}${id}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n`,
];

function post(target: string, body: string, headers = ""): string {
  const length = Buffer.byteLength(body);
  return `POST ${target} HTTP/1.1\r\n${host}${id}${json}${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

function chunked(parts: readonly string[], extension = "", trailer = ""): string {
  const chunks = parts.map((part) => `${Buffer.byteLength(part).toString(16)}${extension}\r\n${part}\r\n`).join("");
  const head = `POST /tools/echo/invoke HTTP/1.1\r\n${host}${id}${json}Transfer-Encoding: chunked\r\n\r\n`;
  return `${head}${chunks}0\r\n${trailer}\r\n`;
}

function get(target: string, headers = ""): string {
  return `GET ${target} HTTP/1.1\r\n${host}${id}${headers}\r\n`;
}

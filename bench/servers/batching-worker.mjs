// A worker that asks for many calls at a time and answers them together, by node:http alone.
import { readFileSync } from "node:fs";
import http from "node:http";

const { SERVICE_URL: url, TOOLHOST_WORKER_TOKEN: token, TOOL_NAME: name } = process.env;
const agent = new http.Agent({ keepAlive: true });
const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
const schemaOf = (file) =>
  JSON.parse(readFileSync(new URL(`../tools/bench_weather/${file}.json`, import.meta.url), "utf8"));

const description = "The current weather of a place (a fixed answer, for the benchmark).";
const tool = { name, description, parameters: schemaOf("parameters"), response: schemaOf("response") };
const { workerId } = await post("/workers", { name: "bench", concurrency: 1000, tools: [tool] });
for (;;) {
  const { calls } = await post(`/workers/${workerId}/poll?waitMs=20000&max=1000`);
  // The next poll does not wait for this request.
  if (calls.length > 0) void post(`/workers/${workerId}/calls`, { answers: calls.map(answer) });
}

function answer({ callId, arguments: { location } }) {
  return { callId, result: { location, current_temp_c: 21.5, condition: "partly cloudy" } };
}

function post(path, value) {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method: "POST", agent, headers }, async (response) => {
      let text = "";
      for await (const chunk of response.setEncoding("utf8")) text += chunk;
      if (response.statusCode < 300) resolve(text === "" ? undefined : JSON.parse(text));
      else reject(new Error(`${path} answers ${response.statusCode}: ${text}`));
    });
    request.on("error", reject);
    request.end(value === undefined ? "" : JSON.stringify(value));
  });
}

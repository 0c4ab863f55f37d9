// (c) Fastify as its documentation shows it: schemas for body and answer, so its own ajv and fast-json-stringify.
import Fastify from "fastify";
import { loadToolFolder } from "./tool-folder.mjs";

const { execute, parameters, response } = await loadToolFolder("bench_weather");

const app = Fastify();
app.post(
  "/tools/bench_weather/invoke",
  {
    schema: {
      body: parameters,
      response: {
        200: {
          type: "object",
          properties: { status: { type: "string" }, result: response },
          required: ["status", "result"],
        },
      },
    },
  },
  async (request) => ({ status: "ok", result: await execute(request.body) }),
);
await app.listen({ port: Number(process.env.PORT), host: "127.0.0.1" });

// (d) Express 5 with zod, the pair that most services of this kind are written in.
import express from "express";
import { z } from "zod";
import { loadToolFolder } from "./tool-folder.mjs";

const { execute } = await loadToolFolder("bench_weather");

const Parameters = z.strictObject({
  location: z.string(),
  unit: z.enum(["celsius", "fahrenheit"]).optional(),
});
const Result = z.strictObject({
  location: z.string(),
  current_temp_c: z.number(),
  condition: z.string(),
});

const app = express();
app.use(express.json());
app.post("/tools/bench_weather/invoke", async (request, response) => {
  const args = Parameters.safeParse(request.body);
  if (!args.success) return response.json({ status: "error", error: { code: "invalid_arguments" } });
  const result = Result.safeParse(await execute(args.data));
  if (!result.success) return response.json({ status: "error", error: { code: "invalid_result" } });
  response.json({ status: "ok", result: result.data });
});
app.listen(Number(process.env.PORT), "127.0.0.1");

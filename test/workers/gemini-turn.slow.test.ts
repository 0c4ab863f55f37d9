import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../cli/toolhost.ts";
import { runPythonWorker } from "./python-worker.ts";
import { startWorkerService } from "./worker-service.ts";

/** A turn of Gemini, recorded: it asks for the weather of two places at once. */
const turn = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          {
            functionCall: { name: "get_current_weather", args: { location: "Boston, MA", unit: "fahrenheit" } },
            thoughtSignature: "Y29udGV4dA==",
          },
          { functionCall: { name: "get_current_weather", args: { location: "Tokyo" } } },
        ],
      },
      finishReason: "STOP",
      index: 0,
    },
  ],
  usageMetadata: { promptTokenCount: 61, candidatesTokenCount: 32, totalTokenCount: 93 },
  modelVersion: "gemini-2.5-flash",
};

interface Parameters {
  readonly properties: Readonly<Record<string, object>>;
}

interface Listed {
  readonly tools: readonly [
    { readonly functionDeclarations: readonly { name: string; parametersJsonSchema: Parameters }[] },
  ];
  readonly warnings: readonly { readonly kind: string }[];
}

it("tools of a Python worker are given to Gemini, and both calls of its turn run in one worker of one session", async () => {
  const service = await startWorkerService();
  await runPythonWorker(service, "example", { name: "weather" });
  await runPythonWorker(service, warmerExample(), { name: "weather" });

  const list = await fetch(`${service.url}/tools?source=weather&format=gemini`);
  const { tools, warnings } = (await list.json()) as Listed;
  const [{ functionDeclarations }] = tools;
  expect(functionDeclarations.map(({ name }) => name)).toEqual(["count_days", "get_current_weather", "wait"]);
  expect(functionDeclarations[1]?.parametersJsonSchema.properties).toMatchObject({
    location: { type: "string", description: "The city and state, e.g. San Francisco, CA" },
    unit: { type: "string", enum: ["celsius", "fahrenheit"] },
  });
  expect(warnings.map(({ kind }) => kind)).not.toContain("omitted");

  const answer = await fetch(`${service.url}/calls?format=gemini&source=weather`, {
    method: "POST",
    headers: { "content-type": "application/json", "toolhost-session": "a-conversation" },
    body: JSON.stringify(turn),
  });
  const { messages, done } = (await answer.json()) as { messages: unknown; done: boolean };
  expect(done).toBe(false);
  const ofOne = [{ role: "user", parts: [weatherOf("Boston, MA", 47.3), weatherOf("Tokyo", 21)] }];
  const ofOther = [{ role: "user", parts: [weatherOf("Boston, MA", 65.3), weatherOf("Tokyo", 31)] }];
  // Either worker, but not one call in each.
  expect([ofOne, ofOther]).toContainEqual(messages);
});

/** The same tools, with other results. */
function warmerExample(): string {
  const file = join(temporaryFolder(), "warmer.py");
  const text = readFileSync(new URL("../../workers/python/example.py", import.meta.url), "utf8");
  writeFileSync(file, text.replace('"boston": 8.5', '"boston": 18.5').replace('"tokyo": 21.0', '"tokyo": 31.0'));
  return file;
}

function weatherOf(location: string, temperature: number): object {
  const unit = location === "Tokyo" ? "celsius" : "fahrenheit";
  return {
    functionResponse: { name: "get_current_weather", response: { output: { location, temperature, unit } } },
  };
}

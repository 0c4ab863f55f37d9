// An agent's loop with only fetch, for Gemini. Node 22.18 or later runs this file directly, older versions with `npx tsx`:
//   GEMINI_API_KEY=… node examples/loop.ts "What is the weather in Oslo?"
const {
  TOOLHOST_URL = "http://127.0.0.1:8080",
  TOOLHOST_API_KEY,
  GEMINI_BASE_URL = "https://generativelanguage.googleapis.com",
  GEMINI_API_KEY = "",
  GEMINI_MODEL = "gemini-2.5-flash",
} = process.env;
const question = process.argv[2];
if (question === undefined) throw new Error("the question is missing");
const gemini = `${GEMINI_BASE_URL}/v1beta/models/${GEMINI_MODEL}:generateContent`;
const toolhostKey = TOOLHOST_API_KEY === undefined ? {} : { authorization: `Bearer ${TOOLHOST_API_KEY}` };

interface Answer {
  messages: unknown[];
  done: boolean;
  warnings: { message: string }[];
}
interface GeminiReply {
  candidates?: { content?: { parts?: { text?: string; thought?: boolean }[] } }[];
}

const { tools } = JSON.parse(await send(`${TOOLHOST_URL}/tools?format=gemini`, toolhostKey)) as { tools: unknown[] };
const contents: unknown[] = [{ role: "user", parts: [{ text: question }] }];
for (let turn = 0; ; turn++) {
  if (turn === 10) throw new Error("no answer in 10 turns");
  const reply = await send(gemini, { "x-goog-api-key": GEMINI_API_KEY }, JSON.stringify({ contents, tools }));
  const answer = await send(`${TOOLHOST_URL}/calls?format=gemini&echo=true`, toolhostKey, reply);
  const { messages, done, warnings } = JSON.parse(answer) as Answer;
  for (const { message } of warnings) console.error(message);
  if (done) {
    const parts = (JSON.parse(reply) as GeminiReply).candidates?.[0]?.content?.parts ?? [];
    console.log(parts.map(({ text = "", thought }) => (thought ? "" : text)).join(""));
    break;
  }
  contents.push(...messages);
}

async function send(url: string, headers: Record<string, string>, body: string | null = null): Promise<string> {
  const method = body === null ? "GET" : "POST";
  const response = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return text;
}

/** Fetches a URL for its caller. */
export const tool = {
  name: "reach",
  description: "Fetches a URL.",
  timeoutMs: 3000,
  parameters: {
    type: "object",
    properties: { url: { type: "string" }, headers: { type: "object" }, json: { type: "boolean" } },
    required: ["url"],
  },
  async execute({ url, headers, json }, context) {
    const response = await context.fetch(url, { headers });
    const body = json ? await response.json() : await response.text();
    return { status: response.status, length: JSON.stringify(body).length };
  },
};

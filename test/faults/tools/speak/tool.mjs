/** Writes to the log what would break a log of lines. */
export const tool = {
  name: "speak",
  description: "Writes to the log.",
  parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute({ text }, context) {
    context.log("info", text, { [text]: text });
    return { spoken: true };
  },
};

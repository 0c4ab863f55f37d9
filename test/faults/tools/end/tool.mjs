export const tool = {
  name: "end",
  description: "Ends the process.",
  parameters: { type: "object" },
  execute: () => process.exit(3),
};

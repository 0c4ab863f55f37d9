export const tool = {
  name: "echo",
  description: "Gives its arguments back.",
  parameters: { type: "object" },
  annotations: { readOnly: true },
  execute: (args) => args,
};

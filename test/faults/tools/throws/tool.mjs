const ways = {
  object: () => ({ a: "canary-thrown" }),
  null: () => null,
  text: () => "canary-thrown",
  undefined: () => undefined,
  secret: () => new Error("pw=canary-thrown at /etc/x", { cause: new Error("canary-thrown") }),
};

export const tool = {
  name: "throws",
  description: "Throws.",
  parameters: { type: "object", properties: { what: { enum: Object.keys(ways) } }, required: ["what"] },
  execute({ what }) {
    throw ways[what]();
  },
};

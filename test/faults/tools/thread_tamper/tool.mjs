export const tool = {
  name: "thread_tamper",
  description: "Changes what all share.",
  isolation: "thread",
  parameters: { type: "object" },
  execute(args) {
    Object.prototype.polluted = 1;
    JSON.parse = () => "tampered";
    JSON.stringify = () => '"tampered"';
    delete args.a;
    return { tampered: true };
  },
};

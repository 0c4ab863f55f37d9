export const tool = {
  name: "now",
  description: "Tells the time.",
  execute: () => "noon",
};

import type { Tool } from "../../src/tool/tool.ts";

type Effect = "confetti" | "hearts" | "sparkles";
type EffectArguments = { effect: Effect; reason?: string };

/** How long a screen should show each effect, in milliseconds: about as long as its pieces need to fall or fade. */
const durationsMs: Record<Effect, number> = { confetti: 4000, hearts: 3000, sparkles: 2000 };

export const tool = {
  name: "show_effect",
  title: "Show an effect",
  description:
    "Shows a short animation on the user's screen. Use it rarely, to mark a moment: confetti for a success, hearts for thanks or affection, sparkles for something new. The result is what the screen shall show; it changes nothing else.",
  tags: ["screen"],
  timeoutMs: 1000,
  annotations: { readOnly: true, openWorld: false },
  async execute({ effect, reason }: EffectArguments) {
    return {
      effect,
      duration_ms: durationsMs[effect],
      ...(reason === undefined ? {} : { reason }),
    };
  },
} satisfies Omit<Tool, "parameters" | "response">;

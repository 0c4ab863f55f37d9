import { describe, expect, it } from "vitest";
import { containerBreaches } from "./container.ts";
import { thoughtBreaches } from "./thoughts.ts";

describe("a stand-in of Anthropic", () => {
  const sent = [{ container: { id: "container_1" } }, { container: null }];

  it("wants the container of the last turn that had one, by its id or with skills", () => {
    for (const container of ["container_1", { id: "container_1", skills: [] }]) {
      expect(containerBreaches("anthropic", { container }, sent)).toEqual([]);
    }
    expect(containerBreaches("anthropic", {}, [{ container: null }])).toEqual([]);
    for (const body of [{}, { container: "container_2" }, { container: { skills: [] } }]) {
      expect(containerBreaches("anthropic", body, sent)).toMatchObject([{ rule: "container" }]);
    }
  });
});

describe("a stand-in of a service of OpenAI's kind", () => {
  const details = [{ type: "reasoning.text", text: "Let me see.", signature: "SIG==", index: 0 }];
  const sent = [{ choices: [{ message: { reasoning_details: details } }] }];

  it("takes thoughts back as they are in the whole reply, and refuses fragments", () => {
    const [{ type, index }] = details as [(typeof details)[0]];
    const cut = [
      { type, index, text: "Let me see." },
      { type, index, signature: "SIG==" },
    ];
    expect(thoughtBreaches("openai", { messages: [{ reasoning_details: details }, {}] }, sent)).toEqual([]);
    expect(thoughtBreaches("openai", { messages: [{ reasoning_details: cut }] }, sent)).toMatchObject([
      { rule: "thought" },
    ]);
  });
});

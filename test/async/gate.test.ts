import { describe, expect, it } from "vitest";
import { createGate } from "../../src/async/gate.ts";

describe("a gate", () => {
  it("lets in as many as it has slots", () => {
    const gate = createGate(2);
    expect([gate.enter(), gate.enter(), gate.enter()]).toEqual([true, true, false]);
    gate.leave();
    expect([gate.enter(), gate.enter()]).toEqual([true, false]);
  });

  it("hands a slot on to the first in line, and nobody slips in before", () => {
    const gate = createGate(1);
    const came: string[] = [];
    gate.enter();
    gate.wait(() => came.push("first"));
    gate.wait(() => came.push("second"));
    gate.leave();
    expect(came).toEqual(["first"]);
    expect(gate.enter()).toBe(false);
    gate.leave();
    expect(came).toEqual(["first", "second"]);
    gate.leave();
    expect(gate.enter()).toBe(true);
  });

  it("passes over who gave up, as often as it was said", () => {
    const gate = createGate(1);
    const came: string[] = [];
    gate.enter();
    const place = gate.wait(() => came.push("gone"));
    gate.wait(() => came.push("here"));
    place.giveUp();
    place.giveUp();
    gate.leave();
    expect(came).toEqual(["here"]);
  });

  it("takes no slot back from who gives up after coming in", () => {
    const gate = createGate(1);
    gate.enter();
    const place = gate.wait(() => undefined);
    gate.leave();
    place.giveUp();
    expect(gate.enter()).toBe(false);
  });

  it("lets in who waits when it gets more slots, and as many as those are", () => {
    const gate = createGate(1);
    const came: string[] = [];
    gate.enter();
    for (const name of ["a", "b", "c"]) gate.wait(() => came.push(name));
    gate.resize(3);
    expect(came).toEqual(["a", "b"]);
    expect(gate.enter()).toBe(false);
    gate.resize(Infinity);
    expect(came).toEqual(["a", "b", "c"]);
    expect(gate.enter()).toBe(true);
  });

  it("gets fewer slots as the surplus leaves", () => {
    const gate = createGate(3);
    const came: string[] = [];
    for (let count = 0; count < 3; count++) gate.enter();
    gate.resize(1);
    gate.wait(() => came.push("next"));
    gate.leave();
    gate.leave();
    expect(came).toEqual([]);
    expect(gate.enter()).toBe(false);
    gate.leave();
    expect(came).toEqual(["next"]);
  });
});

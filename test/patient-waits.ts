import { vi } from "vitest";

const { waitFor } = vi;

/** Vitest's own second is too short for a machine that is busy with other work. */
vi.waitFor = (callback, options) =>
  waitFor(callback, typeof options === "number" ? options : { timeout: 20_000, interval: 10, ...options });

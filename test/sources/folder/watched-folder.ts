import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { service } from "../../cli/toolhost.ts";

const json = { "content-type": "application/json" };
/** For `vi.waitFor`. */
export const soon = { timeout: 60_000, interval: 100 };

/** Makes the folder of the file too. */
export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** A service in a process of its own that has the tools of this folder only, and watches it. */
export async function watched(folder: string, env: Record<string, string> = {}) {
  const running = await service([`--tools=${folder}`], { env: { TOOLHOST_BUNDLED: "off", ...env } });
  const { url } = running;
  return {
    ...running,
    async call(name: string): Promise<unknown> {
      const response = await fetch(`${url}/tools/${name}/invoke`, { method: "POST", body: "{}", headers: json });
      const { result, error } = (await response.json()) as { result?: unknown; error?: { code: string } };
      return error?.code ?? result;
    },
    async skipped(): Promise<unknown[]> {
      const response = await fetch(`${url}/status`);
      return ((await response.json()) as { sources: { skipped: unknown[] }[] }).sources.flatMap((each) => each.skipped);
    },
  };
}

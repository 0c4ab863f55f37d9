import { onTestFinished } from "vitest";
import { answerEvents, answerJson, type CannedServer, startCannedServer } from "./canned-server.ts";

/** What the server answers with: a JSON body, or server-sent events. */
export interface Canned {
  readonly status?: number;
  readonly json?: unknown;
  readonly events?: readonly object[];
  /** Leaves the answer open behind its last event, or before it began. */
  readonly staysOpen?: boolean;
}

/** Answers every request alike, and is stopped with the test. */
export async function startCanned({ status = 200, json, events, staysOpen = false }: Canned): Promise<CannedServer> {
  const silent = (): void => undefined;
  const whole = staysOpen ? silent : answerJson(status, json);
  const server = await startCannedServer(events === undefined ? whole : answerEvents(events, staysOpen, ""));
  onTestFinished(server.stop);
  return server;
}

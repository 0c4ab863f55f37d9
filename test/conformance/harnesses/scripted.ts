import { remoteTool, scriptedServer } from "../../sources/scripted-source.ts";
import type { SourceHarness } from "../source-harness.ts";

/** A server of the tests, which hangs, reports changes and loses its connection. */
export function serverHarness(): SourceHarness {
  const server = scriptedServer();
  return {
    offer(names, bad = []) {
      server.tools = names.map((name) => remoteTool(name));
      server.skipped = bad.map((name) => ({ name, reason: "it has no schema" }));
    },
    open: (name = "tested") => server.open({ name }),
    fail: () => (server.mode = "fails"),
    hang: () => (server.mode = "hangs"),
    mend: server.mend,
    notify: server.notify,
    drop: server.drop,
  };
}

/** The same without all that: its reads end in the turn in which they begin. */
export function plainHarness(): SourceHarness {
  const { offer, open, fail, mend } = serverHarness();
  return { offer, open, fail, mend };
}

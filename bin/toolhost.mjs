#!/usr/bin/env node
// npm links this file also in a clone that is not built yet, which has no dist/.
import { existsSync } from "node:fs";

const main = new URL("../dist/src/main.js", import.meta.url);

if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("toolhost: this clone is not built yet. Run npm ci && npm run build in it.\n");
  process.exitCode = 1;
}

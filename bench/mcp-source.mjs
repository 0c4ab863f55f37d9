import { fileURLToPath } from "node:url";
import { outputOf } from "./children.mjs";
import { pinned } from "./pin.mjs";
import { ratio, spread } from "./statistics.mjs";

const subject = fileURLToPath(new URL("mcp-source-subject.mjs", import.meta.url));

/**
 * What a call of an MCP server over stdin and stdout costs the process that calls: through a source of Toolhost, with all that a call
 * has, against the official client's own `callTool`.
 * @param {{ node: string, rounds: number, say: (text: string) => void }} options
 */
export async function measureMcpSource({ node, rounds, say }) {
  const cpu = { source: [], client: [] };
  for (let round = 0; round < rounds; round++) {
    say(`round ${round + 1} of ${rounds}`);
    const ids = round % 2 === 0 ? ["source", "client"] : ["client", "source"];
    for (const id of ids) cpu[id].push(JSON.parse(await outputOf(pinned("server", [node, subject, id]), {})).cpuUs);
  }
  return { cpuUs: { source: spread(cpu.source), client: spread(cpu.client) }, toClient: ratio(cpu.source, cpu.client) };
}

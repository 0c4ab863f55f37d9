// The client of "10,000 calls at once": node bench/burst-client.mjs <url> <count>
// All sockets are opened first and then every call is sent, so that the calls really are in flight together.
// Prints one line of JSON.
import http from "node:http";
import net from "node:net";

const [target, countText] = process.argv.slice(2);
const url = new URL(target);
const count = Number(countText);
// Fewer than any listen backlog: a full backlog drops connections, which is a test of the kernel and not of the server.
const connectingAtOnce = 256;
const patienceMs = 60_000;

const startedAt = performance.now();
const { sockets, failures } = await openSockets();
const openedAt = performance.now();

let inFlight = 0;
let peakInFlight = 0;
let answered = 0;
await Promise.all(sockets.map(call));
const endedAt = performance.now();

process.stdout.write(
  `${JSON.stringify({
    count,
    answered,
    failed: count - answered,
    failures,
    peakInFlight,
    openMs: openedAt - startedAt,
    callsMs: endedAt - openedAt,
  })}\n`,
);
process.exit(0);

async function openSockets() {
  const sockets = [];
  const failures = {};
  let left = count;
  const openInTurn = async () => {
    while (left-- > 0) {
      try {
        sockets.push(await open());
      } catch (cause) {
        failures[cause.code] = (failures[cause.code] ?? 0) + 1;
      }
    }
  };
  await Promise.all(Array.from({ length: connectingAtOnce }, openInTurn));
  return { sockets, failures };
}

function open() {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host: url.hostname, port: Number(url.port), noDelay: true });
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // An opened socket that the server drops before its call must not end this process.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

function call(socket) {
  return new Promise((resolve) => {
    peakInFlight = Math.max(peakInFlight, ++inFlight);
    let ended = false;
    const end = (failure) => {
      if (ended) return;
      ended = true;
      inFlight--;
      if (failure) failures[failure] = (failures[failure] ?? 0) + 1;
      else answered++;
      resolve();
    };
    const request = http.request(
      url,
      {
        method: "POST",
        // Without an agent a request closes its connection: one call a socket.
        createConnection: () => socket,
        headers: { "content-type": "application/json", "content-length": 2 },
        timeout: patienceMs,
      },
      async (response) => {
        try {
          const outcome = JSON.parse(Buffer.concat(await response.toArray()).toString());
          end(outcome.status === "ok" ? undefined : (outcome.error?.code ?? `status ${response.statusCode}`));
        } catch (cause) {
          end(cause.code ?? cause.message);
        }
      },
    );
    request.on("timeout", () => {
      end("no answer");
      request.destroy();
    });
    request.on("error", (cause) => end(cause.code ?? cause.message));
    request.end("{}");
  });
}

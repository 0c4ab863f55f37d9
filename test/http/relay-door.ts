import { outcomeOf } from "../../src/core/call/start-call.ts";
import type { Door } from "../../src/http/door.ts";
import { readJsonBody, refuseAny } from "../../src/http/body/json-body.ts";
import { jsonReply } from "../../src/http/http-reply.ts";
import type { Route } from "../../src/http/route.ts";

/** A door that only the tests have: it runs tools with what the app gives to all doors, and holds no drain. */
export const relayDoor: Door = ({ body, startCall }) => {
  const relay: Route<"/relay/:tool"> = {
    method: "POST",
    path: "/relay/:tool",
    isFor: "callers",
    startsCalls: true,
    holdsDrain: false,
    requestHeaders: ["relay-note"],
    async handle(exchange, caller, { tool }) {
      const args = refuseAny(await readJsonBody(exchange, body));
      return jsonReply({ relayed: await outcomeOf(startCall, { name: tool, arguments: args, caller }) });
    },
  };
  return [relay];
};

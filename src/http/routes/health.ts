import { CallError } from "../../errors/errors.ts";
import { errorReply, type HttpReply, jsonReply } from "../http-reply.ts";
import type { Lifecycle } from "../lifecycle.ts";
import type { Route } from "../route.ts";

/** `GET /livez`, `GET /readyz` and its other name `GET /healthz`. */
export function createHealthRoutes(lifecycle: Lifecycle): readonly Route[] {
  const ready = (): HttpReply => readyReply(lifecycle);
  return [
    { method: "GET", path: "/livez", isFor: "anyHost", handle: () => jsonReply({ status: "ok" }) },
    { method: "GET", path: "/readyz", isFor: "anyHost", handle: ready },
    { method: "GET", path: "/healthz", isFor: "anyHost", handle: ready },
  ];
}

function readyReply({ state }: Lifecycle): HttpReply {
  if (state === "serving") return jsonReply({ status: "ok" });
  return errorReply(new CallError("shutting_down", "The service is not ready: it is shutting down."));
}

import { hostNameOf, isLoopbackAddress } from "../net/host-name.ts";

/** Whether an address, in any spelling, or `localhost`, is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  const name = hostNameOf(host.includes(":") ? `[${host}]` : host);
  return name === "localhost" || (name !== undefined && isLoopbackAddress(name));
}

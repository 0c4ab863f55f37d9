import { hostNameOf, isLoopbackAddress } from "./host-name.ts";

/** Whether an address in any spelling, in brackets or not, or `localhost` is reached only from this machine. */
export function isLoopback(host: string): boolean {
  const name = hostNameOf(host.includes(":") && !host.startsWith("[") ? `[${host}]` : host);
  return name === "localhost" || (name !== undefined && isLoopbackAddress(name));
}

/**
 * Whether a Host header with this name, as `hostNameOf` writes it, came from this machine: browsers take every name below
 * `localhost` to the machine itself.
 */
export function isLoopbackName(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || isLoopbackAddress(name);
}

/** A field name of RFC 9110, section 5.1. */
export function isHeaderName(text: string): boolean {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(text);
}

// Credentials of the caller, the names that frame a message or belong to a connection, and Toolhost's own.
const notForwarded =
  /^(?:authorization|proxy-.*|cookie|host|content-.*|accept.*|connection|te|transfer-encoding|upgrade|mcp-.*|idempotency-key|toolhost-.*)$/i;

/** Whether a request header of a call may be sent to an API. */
export function isForwardable(name: string): boolean {
  return isHeaderName(name) && !notForwarded.test(name);
}

/** `Retry-After` of a 429 or 503 in milliseconds: whole seconds or an HTTP date (RFC 9110, section 10.2.3). */
export function readRetryAfter({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse accepts much more than an HTTP date, such as "-5".
  if (!/^[A-Za-z]{3,9},? .*\d{4}|^[A-Za-z]{3,9}, \d\d-[A-Za-z]{3}-\d\d /.test(text)) return undefined;
  // The third form of the standard, asctime, has no zone and means UTC.
  const at = Date.parse(/(?:GMT|UTC|[+-]\d{4})$/i.test(text) ? text : `${text} GMT`);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

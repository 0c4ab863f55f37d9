/** The description of a format for a model, after "must be". Includes the formats that only schema libraries name. */
const names: Readonly<Record<string, string>> = {
  base64: "text in base64",
  base64url: "text in base64url",
  byte: "text in base64",
  cidrv4: "a range of IPv4 addresses such as 192.0.2.0/24",
  cidrv6: "a range of IPv6 addresses such as 2001:db8::/32",
  cuid: "a CUID",
  cuid2: "a CUID2",
  date: "a date such as 2026-01-31",
  "date-time": "a date and time such as 2026-01-31T09:30:00Z",
  duration: "a duration in ISO 8601 such as PT1H30M",
  e164: "a phone number in E.164 such as +14155550123",
  email: "an email address",
  emoji: "an emoji",
  guid: "a UUID",
  hostname: "a host name",
  "idn-email": "an email address",
  "idn-hostname": "a host name",
  int32: "a whole number of 32 bits",
  int64: "a whole number of 64 bits",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  iri: "a URI such as https://example.com/path",
  "iso-date-time": "a date and time such as 2026-01-31T09:30:00Z",
  "iso-time": "a time such as 09:30:00Z",
  "json-pointer": "a JSON Pointer such as /items/0",
  jwt: "a JSON Web Token",
  ksuid: "a KSUID",
  mac: "a MAC address",
  nanoid: "a Nano ID",
  regex: "a regular expression",
  time: "a time such as 09:30:00Z",
  ulid: "a ULID",
  uri: "a URI such as https://example.com/path",
  "uri-reference": "a URI or a relative reference",
  url: "a URL such as https://example.com/path",
  uuid: "a UUID",
};

/** @returns undefined for a format without a description */
export function formatName(format: string): string | undefined {
  return Object.hasOwn(names, format) ? names[format] : undefined;
}

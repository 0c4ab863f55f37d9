import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/object.ts";
import type { ParameterPlan } from "../../../src/sources/request/plan.ts";
import { runs } from "../../runs.ts";
import { decodePairs } from "../openapi/decoders.ts";
import { asTexts, key, list, members, scalar, startUpstream, tenant, text } from "./sent-values.ts";

const latin1 = fc
  .string({ unit: fc.constantFrom(...' /?#&=;:%\\"<>{}~é\u00ff'), maxLength: 6 })
  .map((middle) => `a${middle}z`);
const decode = decodeURIComponent;
const pairUp = (flat: readonly string[]): JsonObject =>
  Object.fromEntries(flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]]] : [])));
const splitPair = (pair: string): [string, string] => {
  const at = pair.indexOf("=");
  return at === -1 ? [decode(pair), ""] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
};

type Kind = "scalar" | "list" | "members";

/** Reads `simple`, `label` and `matrix` back from a segment. */
function readSegment({ style, explode }: ParameterPlan, kind: Kind, segment: string): unknown {
  if (style === "matrix") {
    const pairs = segment.slice(1).split(";").map(splitPairRaw);
    if (kind === "members" && explode)
      return Object.fromEntries(pairs.map(([name, value]) => [decode(name), decode(value)]));
    if (kind === "list" && explode) return pairs.map(([, value]) => decode(value));
    return readJoined(pairs[0]![1], ",", kind, false);
  }
  if (style === "label") return readJoined(segment.slice(1), kind !== "scalar" && explode ? "." : ",", kind, explode);
  return readJoined(segment, ",", kind, explode);
}

function splitPairRaw(pair: string): [string, string] {
  const at = pair.indexOf("=");
  return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
}

function readJoined(joined: string, delimiter: string, kind: Kind, explode: boolean): unknown {
  if (kind === "scalar") return decode(joined);
  const parts = joined.split(delimiter);
  if (kind === "list") return parts.map(decode);
  return explode ? Object.fromEntries(parts.map(splitPair)) : pairUp(parts.map(decode));
}

function readQuery({ style, explode }: ParameterPlan, kind: Kind, query: string): unknown {
  const pairs = decodePairs(query).filter(([name]) => name !== "tenant" && name !== "key");
  if (kind === "scalar") return pairs[0]?.[1];
  if (style === "deepObject") {
    const inner = pairs.map(([name, value]) => [name.slice(2, -1), value] as const);
    return kind === "list" ? inner.map(([, value]) => value) : Object.fromEntries(inner);
  }
  if (explode) return kind === "list" ? pairs.map(([, value]) => value) : Object.fromEntries(pairs);
  const raw = query
    .split("&")
    .find((pair) => pair.startsWith("v="))!
    .slice(2);
  const delimiter = { spaceDelimited: "%20", pipeDelimited: "%7C", tabDelimited: "%09" }[style as string] ?? ",";
  return readJoined(raw, delimiter, kind, false);
}

const parameter = (place: ParameterPlan["in"], style: ParameterPlan["style"], explode: boolean): ParameterPlan => ({
  argument: "value",
  name: "v",
  in: place,
  style,
  explode,
});

const kinds: readonly Kind[] = ["scalar", "list", "members"];
const both = [false, true];
const all = <Style>(styles: readonly Style[]) =>
  styles.flatMap((style) => both.flatMap((explode) => kinds.map((kind) => [style, explode, kind] as const)));
const valueOf = (kind: Kind, item = scalar as fc.Arbitrary<unknown>, name = key) =>
  kind === "scalar" ? item : kind === "list" ? list(item) : members(name, item);

test.each(all(["simple", "label", "matrix"] as const))(
  "a path value arrives in its segment: %s, explode %s, %s",
  async (style, explode, kind) => {
    const send = await startUpstream();
    const plan = parameter("path", style, explode);
    // A dot is unreserved, and so parts the items of an exploded label.
    const item = style === "label" && explode ? text.filter((each) => !each.includes(".")) : scalar;
    const name = style === "label" && explode ? key.filter((each) => !each.includes(".")) : key;
    await fc.assert(
      fc.asyncProperty(valueOf(kind, item, name), async (value) => {
        fc.pre(!/^\.{1,2}$/.test(String(value)) && !(style === "label" && String(value) === "."));
        const { target } = await send({ method: "GET", path: ["/a/", plan, "/z"], parameters: [] }, { value });
        const segments = target.split("?")[0]!.split("/");
        expect(segments).toHaveLength(5);
        expect(readSegment(plan, kind, segments[3]!)).toEqual(asTexts(value));
      }),
      { numRuns: runs(30) },
    );
  },
);

test.each(all(["form", "spaceDelimited", "pipeDelimited", "tabDelimited", "deepObject"] as const))(
  "a query value arrives under its name: %s, explode %s, %s",
  async (style, explode, kind) => {
    const send = await startUpstream();
    const plan = parameter("query", style, explode);
    const part = { spaceDelimited: " ", pipeDelimited: "|", tabDelimited: "\t" }[style as string];
    const isFree = (each: unknown) => part === undefined || explode || !String(each).includes(part);
    const isOwn = (name: string) => isFree(name) && !name.includes("]");
    await fc.assert(
      fc.asyncProperty(valueOf(kind, scalar.filter(isFree), key.filter(isOwn)), text, async (value, acme) => {
        const { target } = await send(
          { method: "GET", path: ["/a/z"], parameters: [tenant, plan] },
          { value, tenant: acme },
        );
        const query = target.slice(target.indexOf("?") + 1);
        expect(readQuery(plan, kind, query)).toEqual(asTexts(value));
        expect(decodePairs(query).filter(([name]) => name === "tenant")).toEqual([["tenant", acme]]);
      }),
      { numRuns: runs(30) },
    );
  },
);

test.each(both.flatMap((explode) => kinds.map((kind) => [explode, kind] as const)))(
  "a header value arrives: explode %s, %s",
  async (explode, kind) => {
    const send = await startUpstream();
    const plan = parameter("header", "simple", explode);
    await fc.assert(
      fc.asyncProperty(
        valueOf(
          kind,
          latin1,
          latin1.filter((name) => !name.includes("=")),
        ),
        async (value) => {
          const { headers } = await send({ method: "GET", path: ["/a/z"], parameters: [plan] }, { value });
          const arrived = headers["v"]!;
          const parts = arrived.split(",");
          const pairs = explode ? Object.fromEntries(parts.map(splitPairRaw)) : pairUp(parts);
          expect({ scalar: arrived, list: parts, members: pairs }[kind]).toEqual(value);
        },
      ),
      { numRuns: runs(30) },
    );
  },
);

test.each(["form", "cookie"] as const)("a cookie arrives alone: %s", async (style) => {
  const send = await startUpstream();
  const plan = parameter("cookie", style, true);
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      const { headers } = await send({ method: "GET", path: ["/a/z"], parameters: [plan] }, { value });
      const [name, rest] = splitPairRaw(headers["cookie"]!);
      expect(name).toBe("v");
      expect(rest).toMatch(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/);
      if (style === "form") expect(decode(rest)).toBe(value);
    }),
    { numRuns: runs(100) },
  );
});

import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { treatmentOf } from "../../src/dialects/schema/profile.ts";
import { profiles } from "../dialects/profiles.ts";
import { type DraftName, enforcedIn, keywords, keywordsWhere, modernSubschemas } from "../../src/schema/keywords.ts";

const drafts: readonly (readonly [DraftName, { getKeyword(name: string): unknown }])[] = [
  ["draft-07", new Ajv()],
  ["2019-09", new Ajv2019()],
  ["2020-12", new Ajv2020()],
];

describe("the table of keywords", () => {
  it.each(drafts)("says of %s what its validator enforces", (draft, ajv) => {
    const rules = [...keywordsWhere(({ role }) => role === "rule" || role === "refer")];
    for (const keyword of rules) {
      // Parts of `contains` and `if`: ajv reads them there.
      if (["minContains", "maxContains"].includes(keyword)) continue;
      const isEnforced = enforcedIn.get(keyword)?.includes(draft) ?? true;
      expect([keyword, ajv.getKeyword(keyword) !== false]).toEqual([keyword, isEnforced]);
    }
  });

  it("has every keyword that a validator knows, but for those of ajv alone", () => {
    const known = drafts.flatMap(([, ajv]) => Object.keys((ajv as Ajv).RULES.keywords));
    const own = new Set(["$async", "definitions", "discriminator", "id", "nullable"]);
    expect(known.filter((keyword) => !keywords.has(keyword) && !own.has(keyword))).toEqual([]);
  });

  it("says where ajv reads schemas", () => {
    const { one, list, map } = modernSubschemas;
    const ajv = new Ajv2020({ validateSchema: false, strict: false, logger: false });
    // `5` is not a schema: ajv refuses it where it reads one.
    const refuses = (schema: object): boolean => {
      try {
        ajv.compile(schema);
        return false;
      } catch {
        return true;
      }
    };
    for (const keyword of one) {
      if (keyword === "contentSchema") continue; // an annotation, which ajv does not read
      // A branch without a condition is not read.
      const beside = keyword === "then" || keyword === "else" ? { if: {} } : keyword === "if" ? { then: false } : {};
      expect([keyword, refuses({ ...beside, [keyword]: { type: "no type" } })]).toEqual([keyword, true]);
    }
    for (const keyword of list) {
      expect([keyword, refuses({ [keyword]: [{ type: "no type" }] })]).toEqual([keyword, true]);
    }
    for (const keyword of map) {
      expect([keyword, refuses({ [keyword]: { a: { type: "no type" } } })]).toEqual([keyword, true]);
    }
    for (const keyword of keywords) {
      if (one.has(keyword) || list.has(keyword) || map.has(keyword)) continue;
      if (["$ref", "type", "items"].includes(keyword)) continue;
      const asOne = { [keyword]: { type: "no type" } };
      const isRead = (schema: object): boolean => {
        try {
          ajv.compile(schema);
          return false;
        } catch (error) {
          return /type must be JSONType/.test((error as Error).message);
        }
      };
      expect([keyword, isRead(asOne)]).toEqual([keyword, false]);
    }
  });

  it("has no rule of 2020-12 that a profile drops", () => {
    const rules = keywordsWhere(({ role, marks }) => role === "rule" && !marks.has("old"));
    for (const profile of profiles.values()) {
      if ("convert" in profile) continue;
      const dropped = [...rules].filter((keyword) => treatmentOf(profile, keyword) === "drop");
      expect([profile.name, dropped]).toEqual([profile.name, []]);
    }
  });
});

import { describe, expect, test } from "vitest";
import { resolveFragment, valueAt } from "../../src/json/pointer.ts";

const root = { roles: ["admin", "reader"], length: 1, named: { length: "a", "0": "zero", "01": "own" }, "a/b~": [[7]] };

describe("a JSON Pointer", () => {
  test.each([
    ["", root],
    ["/roles/0", "admin"],
    ["/roles/1", "reader"],
    ["/length", 1],
    ["/named/length", "a"],
    ["/named/0", "zero"],
    ["/named/01", "own"],
    ["/a~1b~0/0/0", 7],
  ])("%s has a value", (pointer, value) => {
    expect(valueAt(root, pointer)).toBe(value);
    expect(resolveFragment(root, `#${pointer}`)).toBe(value);
  });

  test.each([
    "/roles/length",
    "/roles/2",
    "/roles/-",
    "/roles/-1",
    "/roles/00",
    "/roles/01",
    "/roles/+1",
    "/roles/1.0",
    "/roles/1e0",
    "/roles/ 1",
    "/roles/",
    "/roles/extra",
    "/roles/map",
    "/roles/0/length",
    "/named/toString",
    "/length/0",
  ])("%s has none: an array has only indexes", (pointer) => {
    const roles = Object.assign(["admin", "reader"], { extra: "x", "01": "y", "-1": "z" });
    expect(valueAt({ ...root, roles }, pointer)).toBeUndefined();
    expect(resolveFragment({ ...root, roles }, `#${pointer}`)).toBeUndefined();
  });
});

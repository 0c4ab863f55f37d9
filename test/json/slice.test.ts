import { expect, it } from "vitest";
import { elementTexts, insideOfArray, memberText } from "../../src/json/slice.ts";

const object = ' { "a" : 1.0 ,"b":"x\\"}]",\n"c" : [ 1 , {"a":[2]} ] , "d":{ "a" : 3 },"\\u0061b":true , "e":-1e-2}\n';

it.each([
  ["a", "1.0"],
  ["b", '"x\\"}]"'],
  ["c", '[ 1 , {"a":[2]} ]'],
  ["d", '{ "a" : 3 }'],
  ["ab", "true"],
  ["e", "-1e-2"],
  ["f", undefined],
  ["toString", undefined],
])("the source of member %s is %s", (key, source) => {
  expect(memberText(object, key)).toBe(source);
});

it("of a repeated key it is the last one, as JSON.parse has it", () => {
  const text = '{"a":{"x":1},"\\u0061":[2],"b":0}';
  expect(memberText(text, "a")).toBe("[2]");
  expect(JSON.parse(text)).toMatchObject({ a: [2] });
});

it("there are no members in what is no object, and no elements in what is no array", () => {
  for (const text of ["{}", "[]", "[1]", '"a"', " 1 ", "null"]) expect(memberText(text, "a")).toBeUndefined();
  for (const text of ["{}", "[ ]", '{"a":[1]}', '"a"', " 1 ", "null"]) expect([...elementTexts(text)]).toEqual([]);
});

it("the sources of elements are in order, as they came", () => {
  const text = ' [1.0,"],[" , [ [] , {} ],{"a":"\\\\"},null\t,true ] ';
  const elements = ["1.0", '"],["', "[ [] , {} ]", '{"a":"\\\\"}', "null", "true"];
  expect([...elementTexts(text)]).toEqual(elements);
  expect(insideOfArray(text)).toBe('1.0,"],[" , [ [] , {} ],{"a":"\\\\"},null\t,true');
  expect(insideOfArray("[ ]")).toBe("");
});

it("every member and element of a document parses to what JSON.parse made of it", () => {
  const value = { a: [1, -2.5, 'é\u2028"\\', null, true, [], {}, [[{ b: [] }]]], "": { " ": 0 }, ":": "{", ",": "[" };
  for (const space of [0, 2]) {
    const text = JSON.stringify(value, null, space);
    for (const [key, member] of Object.entries(value)) expect(JSON.parse(memberText(text, key)!)).toEqual(member);
    expect([...elementTexts(memberText(text, "a")!)].map((source) => JSON.parse(source) as unknown)).toEqual(value.a);
  }
});

it("takes no stack for depth, and finds elements of a long array", () => {
  const deep = "[".repeat(500_000) + "]".repeat(500_000);
  expect(memberText(`{"a":${deep}}`, "a")).toBe(deep);
  expect([...elementTexts(`[1,${"2,".repeat(100_000)}3]`)]).toHaveLength(100_002);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { argumentsText } from "../../../src/dialects/conversation/outgoing-call.ts";
import { readArgumentsText } from "../../../src/dialects/reading/arguments.ts";
import { runs } from "../../runs.ts";

/** Texts with control characters, quotes and backslashes. */
const text = fc.string({
  unit: fc.constantFrom("a", "\n", "\t", "\0", "\x1f", "\\", '"', "{", "}", " "),
  maxLength: 12,
});
const object = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 2 })), { minKeys: 1, maxKeys: 3 });

/** JSON whose control characters are not escaped. */
function unescaped(value: unknown): string {
  return JSON.stringify(value, null, 1).replaceAll(/\\(?:n|t|u00[01][\da-f]|.)/g, (escape) =>
    /^\\[nt]$|^\\u00/.test(escape) ? (JSON.parse(`"${escape}"`) as string) : escape,
  );
}

describe("arguments with control characters in their strings", () => {
  it("are read as if these were escaped, with a remark", () => {
    fc.assert(
      fc.property(object, (value) => {
        const written = unescaped(value);
        const read = readArgumentsText(written);
        expect(read).toMatchObject({ value, repairs: [], refusal: undefined });
        const hasControls = [...Object.keys(value), ...Object.values(value).flat()].some((each) =>
          /[^ -\uffff]/.test(each),
        );
        expect(read.remark?.includes("not escaped")).toBe(hasControls ? true : undefined);
      }),
      { numRuns: runs(1000) },
    );
  });

  it("go back to the provider as JSON", () => {
    expect(argumentsText('{"a":"x\ny"}')).toBe('{"a":"x\\ny"}');
    expect(argumentsText('{"a":"x\ny"}{"a":"x\ny"}')).toBe('{"a":"x\\ny"}');
    expect(argumentsText('{"a":"x\ny')).toBe('{"a":"x\ny');
  });

  it.each([
    ["encoded twice", JSON.stringify('{"a":"x\ny"}')],
    ["sent twice", '{"a":"x\ny"}{"a":"x\ny"}'],
  ])("are read if they were %s", (_, written) => {
    expect(readArgumentsText(written)).toMatchObject({ value: { a: "x\ny" }, refusal: undefined });
  });

  it.each(['{"a":"x\ny', '{"a":"x\ny"', '{"a":"x\n"y"}', '{"a":"x\ny","a":"z"}', '"x\ny"', '["x\ny"]', '{"a":\0"x"}'])(
    "are refused if the text is broken, or is not an object: %j",
    (written) => {
      expect(readArgumentsText(written).refusal?.code).toBe("invalid_arguments");
    },
  );

  it("are read in linear time", () => {
    const long = `{"a":"${'\\"\n'.repeat(500_000)}`;
    expect(readArgumentsText(long).refusal?.code).toBe("invalid_arguments");
    expect(readArgumentsText(`${long}"}`).refusal).toBeUndefined();
  });
});

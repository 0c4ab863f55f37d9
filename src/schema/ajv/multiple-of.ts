import type { Ajv } from "ajv";

/**
 * Replaces ajv's `multipleOf`, which divides floating point numbers and so finds that 19.99 is not a multiple of 0.01.
 * Here both numbers are read as the decimals in the JSON text, and divided exactly.
 */
export function useExactMultipleOf(ajv: Ajv): void {
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (divisor: number) => (value: number) => isMultipleOf(value, divisor),
    error: { message: ({ schema }) => `must be multiple of ${String(schema)}` },
  });
}

export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  if (!Number.isFinite(value)) return false;
  const a = toDecimal(value);
  const b = toDecimal(divisor);
  const gap = a.exponent - b.exponent;
  if (gap < 0) {
    // No number has more digits than these.
    return -gap > maxDigits ? a.digits === 0n : a.digits % (b.digits * 10n ** BigInt(-gap)) === 0n;
  }
  const tens = gap > maxDigits ? powerModulo(10n, gap, b.digits) : 10n ** BigInt(gap);
  return (a.digits * tens) % b.digits === 0n;
}

const maxDigits = 25;

/** `base ** exponent % modulus` without ever holding the power, which may have 600 digits. */
function powerModulo(base: bigint, exponent: number, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** The shortest decimal for this number, as in JSON text. */
function toDecimal(value: number): Decimal {
  const [mantissa = "0", exponent = "0"] = String(value).split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

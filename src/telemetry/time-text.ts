let secondOfText = NaN;
let secondText = "";
let msOfText = NaN;
let text = "";

/**
 * The time now as `2026-11-28T17:00:18.042Z`. Written by hand, because a `Date` for each line costs more than the rest
 * of the line.
 */
export function timeText(): string {
  const ms = Date.now();
  if (ms === msOfText) return text;
  const second = Math.floor(ms / 1000);
  if (second !== secondOfText) {
    secondOfText = second;
    secondText = new Date(second * 1000).toISOString().slice(0, "2026-11-28T17:00:18.".length);
  }
  msOfText = ms;
  const rest = ms - second * 1000;
  text = `${secondText}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
  return text;
}

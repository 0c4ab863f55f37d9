/** A line of a stack, as JavaScript, Java, C#, Ruby and the loader of Node write it. */
const frames = [
  /^\s*at .*:\d+:\d+\)?(?: \{)?$/,
  /^\s*at .*(?:<anonymous>|\(native\)|\[native code\])\)?$/,
  /^\s+at [\w$.<>/`[\], ]+\(.*\)(?: in .*)?$/,
  /^\s*\.\.\. \d+ (?:more|common frames omitted)$/,
  /^\s*(?:from )?\S+\.rb:\d+:in .*$/,
  /^Require stack:$/,
  /^- (?:[A-Za-z]:)?[/\\].*\.[cm]?js$/,
];
/** What follows is a stack up to the next line that is not indented. */
const headOfIndented = /^\s*Traceback \(most recent call last\):$/;
/** What follows is a stack to the end. */
const headOfRest = /^\s*(?:goroutine \d+ \[.*\]:|stack backtrace:)$/;

/** The words of a server without stacks: models read them, and stacks name files of the machine. */
export function withoutStack(text: string): string {
  const kept: string[] = [];
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    if (headOfRest.test(line)) break;
    if (headOfIndented.test(line)) isInside = true;
    else if (isInside && /^\s|^$/.test(line)) continue;
    else {
      isInside = false;
      if (!frames.some((frame) => frame.test(line))) kept.push(line);
    }
  }
  return kept.join("\n");
}

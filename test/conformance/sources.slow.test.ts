import { describeSource } from "./describe-source.ts";
import { kinds } from "./suites.ts";

/** The other kinds start a process or a thread in each test. */
const { folder: _, ...others } = kinds;
for (const suite of Object.values(others).flat()) describeSource(suite);

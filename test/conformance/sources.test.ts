import { describeSource } from "./describe-source.ts";
import { kinds, scripted } from "./suites.ts";

for (const suite of [...kinds.folder, ...scripted]) describeSource(suite);

import type { SchemaForm } from "../../src/dialects/dialect.ts";
import { type DialectName, dialectNames, dialects } from "../../src/dialects/dialects.ts";
import type { Profile } from "../../src/dialects/schema/profile.ts";
import { type Projection, projectSchema as project } from "../../src/dialects/schema/project.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

interface Form {
  readonly dialect: DialectName;
  readonly strict: boolean;
  readonly schema: SchemaForm;
}

/** Every form of a list of tools. */
export const forms: readonly Form[] = dialectNames.flatMap((dialect) =>
  [false, true].flatMap((strict) =>
    (dialects[dialect].schemaForms ?? ["json"]).map((schema) => ({ dialect, strict, schema })),
  ),
);

/** Every profile that a dialect of the table uses, by name. */
export const profiles: ReadonlyMap<string, Profile> = new Map(
  forms.map(({ dialect, ...options }) => dialects[dialect].profile(options)).map((profile) => [profile.name, profile]),
);

export const profileNames: readonly string[] = [...profiles.keys()];

export function profileOf(name: string): Profile {
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(`No dialect has the profile ${name}.`);
  return profile;
}

/** A dialect that uses the profile. */
export function dialectOfProfile(name: string): DialectName {
  const form = forms.find(({ dialect, ...options }) => dialects[dialect].profile(options).name === name);
  if (form === undefined) throw new Error(`No dialect has the profile ${name}.`);
  return form.dialect;
}

/** A schema as the profile of that name writes it. */
export function projectSchema(schema: JsonSchema, name: string): Projection {
  return project(schema, profileOf(name));
}

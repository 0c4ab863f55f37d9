const cities = [
  { name: "Oslo", country: "NO", population: 717710 },
  { name: "Bergen", country: "NO", population: 291940 },
  { name: "Turku", country: "FI", population: null },
];

export const tool = {
  name: "find_cities",
  title: "Find cities",
  description: "Lists the cities of a country, the largest first.",
  tags: ["geography"],
  annotations: { readOnly: true },
  parameters: {
    type: "object",
    properties: {
      country: { type: "string", minLength: 2, maxLength: 2, description: "ISO 3166 code, such as NO." },
      limit: { type: "integer", minimum: 1, default: 10 },
      order: { enum: ["largest", "name"] },
    },
    required: ["country"],
    additionalProperties: false,
  },
  response: {
    type: "object",
    properties: { cities: { type: "array", items: { $ref: "#/$defs/city" } } },
    required: ["cities"],
    $defs: {
      city: {
        type: "object",
        properties: {
          name: { type: "string" },
          country: { type: "string" },
          population: { type: ["integer", "null"] },
        },
        required: ["name", "population"],
      },
    },
  },
  execute: ({ country, limit = 10 }) => ({ cities: cities.filter((city) => city.country === country).slice(0, limit) }),
};

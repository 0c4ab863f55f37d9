// The tool that every candidate serves: it answers at once, so that what is measured is the service around it.
export const tool = {
  name: "bench_weather",
  description: "The current weather of a place (a fixed answer, for the benchmark).",
  annotations: { readOnly: true },
  async execute({ location }) {
    return { location, current_temp_c: 21.5, condition: "partly cloudy" };
  },
};

-- wrk takes a request's method, body and headers only from a script, and prints its figures as JSON only from one.
wrk.method = os.getenv("BENCH_METHOD")
local body = os.getenv("BENCH_BODY")
if body ~= "" then wrk.body = body end
for name, value in os.getenv("BENCH_HEADERS"):gmatch("([^:\n]+): ([^\n]*)") do
  wrk.headers[name] = value
end

function done(summary)
  local e = summary.errors
  -- e.status counts answers over 399.
  io.write(string.format(
    '\n{"requests":%d,"seconds":%.6f,"failures":{"connect":%d,"read":%d,"write":%d,"timeout":%d,"status":%d}}\n',
    summary.requests, summary.duration / 1e6, e.connect, e.read, e.write, e.timeout, e.status))
end

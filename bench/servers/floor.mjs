// (a) What node:http costs on its own: the body is read and thrown away, the answer never changes.
import http from "node:http";

const answer = Buffer.from(
  JSON.stringify({
    status: "ok",
    result: { location: "Paris", current_temp_c: 21.5, condition: "partly cloudy" },
  }),
);
const headers = { "content-type": "application/json", "content-length": answer.length };

http
  .createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(200, headers);
      response.end(answer);
    });
  })
  .listen(Number(process.env.PORT), "127.0.0.1");

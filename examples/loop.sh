#!/bin/sh
# An agent's loop with curl, for OpenAI and compatible servers. Requires curl, and node to build JSON:
#   OPENAI_API_KEY=… sh examples/loop.sh "What is the weather in Oslo?"
set -eu
export QUESTION="${1:?the question is missing}" MODEL="${OPENAI_MODEL:-gpt-5.1}"
toolhost=${TOOLHOST_URL:-http://127.0.0.1:8080}
openai=${OPENAI_BASE_URL:-https://api.openai.com/v1}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# request FILE KEY …: runs curl with the other arguments and writes the answer to the file.
request() {
  file=$1 key=$2
  shift 2
  curl -sS --fail-with-body -o "$file" -H 'content-type: application/json' ${key:+-H "authorization: Bearer $key"} "$@" ||
    { cat "$file" >&2; exit 1; }
}
# json CODE: runs JavaScript that can read the files in this folder.
json() { node -e "const read = (file) => JSON.parse(fs.readFileSync(file)); $1"; }

request tools.json "${TOOLHOST_API_KEY-}" "$toolhost/tools?format=openai"
json 'const messages = [{ role: "user", content: process.env.QUESTION }];
  const { tools } = read("tools.json");
  console.log(JSON.stringify({ model: process.env.MODEL, messages, tools }))' > request.json

for turn in 1 2 3 4 5 6 7 8 9 10; do
  request reply.json "${OPENAI_API_KEY-}" "$openai/chat/completions" --data-binary @request.json
  request answer.json "${TOOLHOST_API_KEY-}" "$toolhost/calls?format=openai&echo=true" --data-binary @reply.json
  json 'for (const { message } of read("answer.json").warnings) console.error(message)'
  if json 'process.exit(read("answer.json").done ? 0 : 1)'; then
    json 'console.log(read("reply.json").choices[0].message.content)'
    exit
  fi
  json 'const { messages, ...rest } = read("request.json");
    console.log(JSON.stringify({ ...rest, messages: [...messages, ...read("answer.json").messages] }))' > next.json
  mv next.json request.json
done
echo "no answer in $turn turns" >&2
exit 1

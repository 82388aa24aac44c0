#!/bin/sh
# Uploads a file, starts a run on it, waits for the run to end, and prints the data of each document.
#
#   PORTICO_API_KEY=svc-… sh examples/curl.sh demo/samples/greenhithe-farm.txt text/plain
#
# PORTICO_URL names another server than http://localhost:3000, PORTICO_AGENT another agent than "Invoice reader".
set -eu

file=${1:?names the file to read}
content_type=${2:?is the content type of the file, such as application/pdf}
name=$(basename "$file")
api=${PORTICO_URL:-http://localhost:3000}/api/v1

# Prints the answer to a request. A refusal ends the script with the server's reason.
request() {
  if answer=$(curl -sS --fail-with-body -H "X-API-Key: $PORTICO_API_KEY" -H 'Content-Type: application/json' "$@"); then
    printf '%s' "$answer"
  else
    printf '%s\n' "$answer" >&2
    exit 1
  fi
}

# Prints one part of an answer. Node reads the JSON, because every machine with Portico has it.
part() { AGENT=${PORTICO_AGENT:-Invoice reader} node -p "const { data } = JSON.parse(process.argv[1]); $2" "$1"; }

# 1. Find the agent.
agents=$(request "$api/agents")
agent=$(part "$agents" 'data.agents.find((agent) => agent.name === process.env.AGENT).id')

# 2. Ask for an address to upload to, and send the file with exactly the headers that the answer lists.
uploads=$(request "$api/agents/$agent/upload-urls" -d "{\"files\": [{\"file_name\": \"$name\", \"content_type\": \"$content_type\"}]}")
url=$(part "$uploads" 'data.files[0].upload_url')
headers=$(part "$uploads" 'Object.entries(data.files[0].headers).map((header) => header.join(": ")).join("\n")')
printf '%s\n' "$headers" | curl -sS --fail-with-body -H @- --upload-file "$file" "$url"

# 3. Start a run. The entry of the uploaded file is the entry of the run.
files=$(part "$uploads" 'JSON.stringify(data.files)')
run=$(request "$api/agents/$agent/run" -d "{\"files\": $files}")
id=$(part "$run" 'data.id')

# 4. Wait. Each request is answered as soon as the status changes, or after 25 seconds.
status=queued
while [ "$status" = queued ] || [ "$status" = running ]; do
  run=$(request "$api/runs/$id?wait=25")
  status=$(part "$run" 'data.status')
done
if [ "$status" != completed ]; then
  echo "The run $id is $status: $(part "$run" 'data.error')" >&2
  exit 1
fi

# 5. Read the documents.
for document in $(part "$run" 'data.documents.map(({ id }) => id).join(" ")'); do
  found=$(request "$api/documents/$document")
  part "$found" 'JSON.stringify(data.document_data, null, 2)'
done

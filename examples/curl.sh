#!/bin/sh
# Two made-up runs, and what they cost and took.
#
#   ASSAY_URL=http://localhost:8080 ASSAY_API_KEY=asy_... sh examples/curl.sh
set -eu
ask() {
  path=$1
  shift
  curl -sS --fail-with-body "$ASSAY_URL/v2$path" -H "Service-API-Key: $ASSAY_API_KEY" \
    -H 'Content-Type: application/json' "$@"
}
# The id that an answer begins with; `jq -r .id` where there is jq.
id() { sed 's/^{"id":"\([^"]*\)".*/\1/'; }

made=$(ask /projects -d "{\"name\": \"curl example $(date +%s%N)\"}")
project=$(echo "$made" | id)

# An Idempotency-Key makes a write safe to send again: the second answer is the first one's.
ask "/projects/$project/traces" -H "Idempotency-Key: $(date +%s%N)" -d '{"traces": [
  {"name": "trip", "input": "To Oslo?", "output": "booked", "metrics": {"correct": 1}, "spans": [
    {"type": "tool", "name": "search", "input": "Oslo", "output": "SK 4711"},
    {"type": "llm", "name": "choose", "model": "model-a", "input": "To Oslo?", "output": "SK 4711",
     "metrics": {"num_input_tokens": 9, "num_output_tokens": 3}}]},
  {"name": "trip", "input": "To the moon?", "output": "booked", "metrics": {"correct": 0}}]}'
echo

# What was written a moment ago is waited for.
ask "/projects/$project/metrics/custom_search" -d '{
  "start_time": "2020-01-01T00:00:00Z", "end_time": "2100-01-01T00:00:00Z",
  "metric_details": [{"id": "correct", "metric_name": "correct", "aggregation": "Average"}]}'
echo

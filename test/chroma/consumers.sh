#!/bin/sh
# The Chroma stores of LangChain and mem0 over a store in process: installs both into a directory of their own and runs
# their tests. They are no dev dependencies, because npm would bring their peers along (browsers, cloud clients).
# Usage: sh test/chroma/consumers.sh [DIR]   DIR is kept, and used again; left out, a temporary one is removed.
set -eu
project=$(cd "$(dirname "$0")/../.." && pwd)
if [ $# -gt 0 ]; then
  mkdir -p "$1"
  directory=$(cd "$1" && pwd)
else
  directory=$(mktemp -d)
  trap 'rm -rf "$directory"' EXIT
fi
if [ ! -d "$directory/node_modules/mem0ai" ]; then
  echo '{ "private": true }' > "$directory/package.json"
  npm install --prefix "$directory" --save-exact --legacy-peer-deps --ignore-scripts --no-audit --no-fund \
    @langchain/community@1.1.29 @langchain/core@1.4.0 mem0ai@3.3.1
  # mem0 wants it; compiled it is here already.
  ln -s "$project/node_modules/better-sqlite3" "$directory/node_modules/better-sqlite3"
fi
cd "$project"
CHROMA_CONSUMERS=$directory npx vitest run --project unit test/chroma/in-process.test.ts

name: __name__
version: 0.1.0
runtime: hook
description: Denies tool calls that would write a lock file.
binding: on-tool-call
execution_mode: blocking
commit_policy: deny
build: { source: src/main.ts }
